import ArgumentParser

/// `parley gateway`: serves the sockets of a cluster.
struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Run a node that serves sockets behind a load balancer.",
        discussion: """
            Requires --redis and --database. A gateway serves the socket endpoints, /healthz, /readyz and /metrics. A \
            persister serves everything else. On SIGTERM, a gateway stops being ready, and drains its clients within \
            --drain-seconds.
            """
    )

    @OptionGroup var flags: ServerFlags

    func run() async throws {
        try await flags.runNode(as: .gateway, Node.gateway)
    }
}
