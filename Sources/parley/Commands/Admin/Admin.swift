import ArgumentParser

/// `parley admin`: what operators do with accounts, straight on the database.
struct Admin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make users, operators, rooms and API keys, list them, set passwords; trace a message.",
        discussion: """
            Works on the database, whether or not nodes are running; they see what is new within seconds. `trace` asks a \
            running node.
            """,
        subcommands: [
            CreateUser.self, CreateThread.self, CreateKey.self, RevokeKey.self, GrantOperator.self,
            RevokeOperator.self, ResetPassword.self, List.self, Trace.self,
        ]
    )
}
