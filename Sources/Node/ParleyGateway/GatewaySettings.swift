package import NIOCore
package import ParleyAccounts
package import ParleyModel

/// The settings of a gateway node.
package struct GatewaySettings: Sendable {
    /// The node's name, in logs and for clients.
    package var node: String
    package var limits = Limits()
    /// Peers whose `X-Forwarded-For` is trusted.
    package var trustedProxies = TrustedProxies()
    /// The maximum drain time after SIGTERM.
    package var drainWindow: TimeAmount = .seconds(10)
    /// The time limit for the first request of a connection; at most `HeartbeatWheel.horizon`, as the next two.
    package var handshakeTimeout: TimeAmount = .seconds(10)
    /// The time limit for the decision on a handshake.
    package var decisionTimeout: TimeAmount = .seconds(30)
    /// The time limit for a client to hang up after its last response or close frame.
    package var closeTimeout: TimeAmount = .seconds(3)
    /// The silence after which unfinished input of a line client counts as a line.
    package var lineSilence: TimeAmount = .milliseconds(100)
    /// The time that an HTTP connection may be idle.
    package var idleTimeout: TimeAmount = .seconds(60)
    /// The time limit for the body of an HTTP request; for a body of `streamedPaths`, the window that its rate is
    /// measured over.
    package var bodyTimeout: TimeAmount = .seconds(30)
    /// Paths whose bodies may be of any length.
    package var streamedPaths: Set<String> = ["/v1/admin/import", "/v1/attachments"]
    /// The minimum rate of such a body.
    package var streamedBytesPerSecond = 1024
    /// The most open TCP connections that are no sockets: handshakes and REST.
    package var spareConnections = 10_000
    /// The period in which every thread is compared with its log once; `nil` if the bus loses nothing.
    package var headCheck: TimeAmount?
    /// The paths of the WebSocket endpoint, without a trailing slash.
    package var socketPaths: Set<String> = ["/chat", "/connect", "/v1/socket"]
    /// Sends every message back to its sender, binary ones too, in place of a session: for tests of the protocol below
    /// the dialects. No setting of the program reaches it.
    package var echoes = false

    package init(node: String) {
        self.node = node
    }

    /// For connections whose first request the `UpgradeGate` waits for.
    var requestLimits: RequestLimits {
        RequestLimits(
            firstHead: nil, body: bodyTimeout, streamedPaths: streamedPaths,
            streamedBytesPerSecond: streamedBytesPerSecond, closeTimeout: closeTimeout)
    }

    /// For connections of a listener without sockets.
    package var plainRequestLimits: RequestLimits {
        var limits = requestLimits
        limits.firstHead = handshakeTimeout
        return limits
    }
}
