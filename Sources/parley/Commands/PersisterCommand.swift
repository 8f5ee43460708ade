import ArgumentParser

/// `parley persister`: from the log to the database, and all REST.
struct PersisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "persister",
        abstract: "Run a node that stores what is sent and answers REST.",
        discussion: """
            Needs --redis and --database. Those that are alive share the work evenly; when one dies the others take over.
            """
    )

    @OptionGroup var flags: ServerFlags

    func run() async throws {
        try await flags.runNode(as: .persister)
    }
}
