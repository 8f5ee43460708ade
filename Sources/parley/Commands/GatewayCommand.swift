import ArgumentParser

/// `parley gateway`: the sockets of a cluster.
struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Run a node for sockets, one of many behind a balancer.",
        discussion: """
            Needs --redis and --database. It answers the sockets' paths, /healthz, /readyz and /metrics; everything else \
            is a persister's. At SIGTERM it is not ready any more and sends its clients off within --drain-seconds.
            """
    )

    @OptionGroup var flags: ServerFlags

    func run() async throws {
        try await flags.runNode(as: .gateway)
    }
}
