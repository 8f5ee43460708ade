/// The limits that apply to clients. Each is a setting; 0 turns a rate or a connection limit off.
package struct Limits: Hashable, Sendable {
    /// Maximum message length, in Unicode scalars.
    package var textScalars = 4096
    /// Maximum size of a WebSocket frame or message, in bytes.
    package var frameBytes = 65_536
    /// Sustained sends per second of one user.
    package var sendsPerSecond = 20
    /// Send burst of one user.
    package var sendsBurst = 40
    /// Published read marks of one user; marks above the rate are merged.
    package var reads = Budget(perSecond: 20, burst: 40)
    /// Typing indicators of one user.
    package var typing = Budget(perSecond: 5, burst: 20)
    /// History pages that one user reads on one node.
    package var history = Budget(perSecond: 100, burst: 200)
    /// Lists and look-ups that one user requests over REST on one node.
    package var lists = Budget(perSecond: 100, burst: 200)
    /// The most of those that are in progress at once; 0 for no limit.
    package var listsAtOnce = 16
    /// Searches and exports that one user requests on one node.
    package var searches = Budget(perSecond: 10, burst: 20)
    /// The most of those that are in progress at once; 0 for no limit.
    package var searchesAtOnce = 2
    /// Attachments that one user reads on one node.
    package var files = Budget(perSecond: 100, burst: 400)
    /// Sockets of one user on this node.
    package var connectionsPerUser = 50
    /// Sockets from one address on this node.
    package var connectionsPerAddress = 1000
    /// Sockets on this node.
    package var connections = 100_000
    /// Wrong passwords for one account from one address, or from one known device.
    package var loginFailuresPerAccountPerMinute = 10
    /// Wrong passwords for one account from all addresses, without known devices.
    package var loginFailuresPerAccountTotalPerMinute = 100
    package var loginFailuresPerAddressPerMinute = 30
    /// Accounts that one address may create, over all nodes.
    package var signUpsPerAddressPerMinute = 30
    /// Maximum bytes waiting for one socket; above it the client counts as too slow.
    package var outboundBytes = 65_536

    package init() {}
}
