import ArgumentParser

/// `parley serve`: gateway and persister in one process.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run everything in one process.",
        discussion: """
            Without options it needs no other server: bus and log are in memory, messages and accounts in the SQLite file \
            ./parley.db. With --redis and --database it is one of any number of nodes. Stop it with Ctrl-C or SIGTERM.
            """
    )

    @OptionGroup var flags: ServerFlags

    func run() async throws {
        try await flags.runNode(as: .serve)
    }
}
