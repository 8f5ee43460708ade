/// The limits that clients meet. Each is a setting; 0 turns a rate or a connection limit off.
package struct Limits: Hashable, Sendable {
    /// The longest message, in Unicode scalars.
    package var textScalars = 4096
    /// The largest WebSocket frame or message, in bytes.
    package var frameBytes = 65_536
    /// Sends of one user, sustained.
    package var sendsPerSecond = 20
    /// Sends of one user at once.
    package var sendsBurst = 40
    /// Read marks of one user that are told to others; the others are merged.
    package var reads = Budget(perSecond: 20, burst: 40)
    /// Signs of typing of one user.
    package var typing = Budget(perSecond: 5, burst: 20)
    /// Pages of history that one user reads on one node.
    package var history = Budget(perSecond: 100, burst: 200)
    /// Sockets of one user on this node.
    package var connectionsPerUser = 50
    /// Sockets from one address on this node.
    package var connectionsPerAddress = 1000
    /// Sockets on this node.
    package var connections = 100_000
    package var loginFailuresPerAccountPerMinute = 10
    package var loginFailuresPerAddressPerMinute = 30
    /// Accounts that an address may make, over all nodes.
    package var signUpsPerAddressPerMinute = 30
    /// Bytes that wait for one socket before it counts as too slow.
    package var outboundBytes = 65_536

    package init() {}
}
