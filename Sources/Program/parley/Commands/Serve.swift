import ArgumentParser

/// `parley serve`: gateway and persister in one process.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a gateway and a persister in one process.",
        discussion: """
            Without options, no other server is needed: the bus and the log are in memory, and messages and accounts are \
            in the SQLite file ./parley.db. With --redis and --database, the process is one node of a cluster. Stop it \
            with Ctrl-C or SIGTERM.
            """
    )

    @OptionGroup var flags: ServerFlags

    func run() async throws {
        try await flags.runNode(as: .serve, Node.serve)
    }
}
