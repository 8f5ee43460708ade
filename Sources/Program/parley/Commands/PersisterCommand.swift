import ArgumentParser

/// `parley persister`: writes the log to the database and serves REST.
struct PersisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "persister",
        abstract: "Run a node that stores messages and serves REST.",
        discussion: """
            Requires --redis and --database. Running persisters share the work evenly. If one fails, the others take over.
            """
    )

    @OptionGroup var flags: ServerFlags

    func run() async throws {
        try await flags.runNode(as: .persister, Node.persister)
    }
}
