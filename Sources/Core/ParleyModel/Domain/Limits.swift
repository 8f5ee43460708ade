/// The limits that apply to clients. Each one is a setting; 0 disables a rate or a connection limit.
package struct Limits: Hashable, Sendable {
    /// The maximum length of a message, in Unicode scalars.
    package var textScalars = 4096
    /// The maximum size of a WebSocket frame or message, in bytes.
    package var frameBytes = 65_536
    /// The sustained rate of one user's sends, per second.
    package var sendsPerSecond = 20
    /// The maximum burst of one user's sends.
    package var sendsBurst = 40
    /// Published read marks of one user. Marks above the rate are merged.
    package var reads = Budget(perSecond: 20, burst: 40)
    /// Typing indicators of one user.
    package var typing = Budget(perSecond: 5, burst: 20)
    /// History pages that one user reads on a node.
    package var history = Budget(perSecond: 100, burst: 200)
    /// Lists and look-ups that one user requests over REST on a node.
    package var lists = Budget(perSecond: 100, burst: 200)
    /// The maximum number of lists and look-ups of one user in progress; 0 for no limit.
    package var listsAtOnce = 16
    /// Searches and exports that one user requests on a node.
    package var searches = Budget(perSecond: 10, burst: 20)
    /// The maximum number of searches and exports of one user in progress; 0 for no limit.
    package var searchesAtOnce = 2
    /// Attachments that one user downloads on a node.
    package var files = Budget(perSecond: 100, burst: 400)
    /// Sockets of one user on this node.
    package var connectionsPerUser = 50
    /// Sockets from one address on this node.
    package var connectionsPerAddress = 1000
    /// Sockets on this node.
    package var connections = 100_000
    /// Failed logins to one account from one address, or from one known device.
    package var loginFailuresPerAccountPerMinute = 10
    /// Failed logins to one account from all addresses together, without known devices.
    package var loginFailuresPerAccountTotalPerMinute = 100
    package var loginFailuresPerAddressPerMinute = 30
    /// Accounts created from one address, on all nodes together.
    package var signUpsPerAddressPerMinute = 30
    /// The maximum number of bytes waiting for one socket. A client above it counts as too slow.
    package var outboundBytes = 65_536

    package init() {}
}
