package import NIOCore
package import ParleyAccounts
package import ParleyModel

/// How a gateway node behaves.
package struct GatewaySettings: Sendable {
    /// The node's name, in logs and for clients.
    package var node: String
    package var limits = Limits()
    /// Peers whose `X-Forwarded-For` is believed.
    package var trustedProxies = TrustedProxies()
    /// How long sockets are sent off after SIGTERM, at most.
    package var drainWindow: TimeAmount = .seconds(10)
    /// How long a connection may take to send the head of its first request.
    package var handshakeTimeout: TimeAmount = .seconds(10)
    /// How long an HTTP connection may be idle.
    package var idleTimeout: TimeAmount = .seconds(60)
    /// Open TCP connections beyond the sockets allowed: handshakes and REST.
    package var spareConnections = 10_000
    /// The paths of the WebSocket door, without a slash at the end.
    package var socketPaths: Set<String> = ["/chat", "/connect", "/v1/socket"]

    package init(node: String) {
        self.node = node
    }
}
