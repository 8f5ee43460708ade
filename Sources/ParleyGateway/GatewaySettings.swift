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
    /// How long a connection may take to send its first request; at most `HeartbeatWheel.horizon`, as the next two.
    package var handshakeTimeout: TimeAmount = .seconds(10)
    /// How long it may take to find out whether a client may come in.
    package var decisionTimeout: TimeAmount = .seconds(30)
    /// How long a client may take to hang up after the last that it was sent.
    package var closeTimeout: TimeAmount = .seconds(3)
    /// How long a client of the line door may be silent before what it has sent counts as a line.
    package var lineSilence: TimeAmount = .milliseconds(100)
    /// How long an HTTP connection may be idle.
    package var idleTimeout: TimeAmount = .seconds(60)
    /// How long the body of an HTTP request may take to arrive; one of `streamedPaths` each so many seconds of it.
    package var bodyTimeout: TimeAmount = .seconds(30)
    /// Paths whose bodies have no end in sight, and how slowly these may come.
    package var streamedPaths: Set<String> = ["/v1/admin/import"]
    package var streamedBytesPerSecond = 1024
    /// Open TCP connections that are no sockets, at most: handshakes and REST.
    package var spareConnections = 10_000
    /// In what time every thread is compared with its log once; `nil` if the bus loses nothing.
    package var headCheck: TimeAmount?
    /// A wrong to be done on purpose; `nil` on every node that serves people.
    package var plantedFault: PlantedFault?
    /// The paths of the WebSocket door, without a slash at the end.
    package var socketPaths: Set<String> = ["/chat", "/connect", "/v1/socket"]

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
