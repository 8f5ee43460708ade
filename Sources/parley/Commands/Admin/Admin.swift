import ArgumentParser

/// `parley admin`: administration of accounts, directly in the database.
struct Admin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create and list users, operators, rooms and API keys, reset passwords, trace a message.",
        discussion: """
            Works directly on the database, with or without running nodes, which see changes within seconds. `trace` \
            queries a running node.
            """,
        subcommands: [
            CreateUser.self, CreateThread.self, CreateKey.self, RevokeKey.self, GrantOperator.self,
            RevokeOperator.self, ResetPassword.self, List.self, Trace.self,
        ]
    )
}
