import ArgumentParser

/// `parley admin`: administration of accounts, directly in the database.
struct Admin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Create and list users, operators, rooms and API keys, reset passwords, trace a message, test a client.",
        discussion: """
            Works directly on the database, with or without running nodes, which see changes within seconds. `trace` \
            queries a running node, and `conformance` is a server of its own, without a database.
            """,
        subcommands: [
            CreateUser.self, CreateThread.self, CreateKey.self, RevokeKey.self, GrantOperator.self,
            RevokeOperator.self, ResetPassword.self, List.self, Trace.self, Conformance.self,
        ]
    )
}
