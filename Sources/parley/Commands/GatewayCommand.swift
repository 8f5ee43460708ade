import ArgumentParser

/// `parley gateway`: serves the sockets of a cluster.
struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Run a node that serves sockets, one of many behind a load balancer.",
        discussion: """
            Requires --redis and --database. Serves the socket endpoints, /healthz, /readyz and /metrics; a persister \
            serves everything else. On SIGTERM it stops being ready and drains its clients within --drain-seconds.
            """
    )

    @OptionGroup var flags: ServerFlags

    func run() async throws {
        try await flags.runNode(as: .gateway)
    }
}
