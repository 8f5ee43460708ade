import ArgumentParser

/// `parley admin`: administration of accounts, directly in the database.
struct Admin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Manage users, operators, rooms, mutes, bans, suspensions and API keys, reset passwords, trace a message, test a client.",
        discussion: """
            These commands change the database directly. Running nodes see the changes within seconds. `trace` queries a \
            running node, and `conformance` runs a separate server without a database.
            """,
        subcommands: [
            CreateUser.self, CreateThread.self, SetVisibility.self, SanctionUser.self, EndSanction.self,
            ListSanctions.self, SuspendUser.self, EndSuspension.self, ListSuspensions.self, ListAudit.self,
            CreateKey.self, RevokeKey.self, GrantOperator.self, RevokeOperator.self,
            ResetPassword.self, List.self, Trace.self, Conformance.self,
        ]
    )
}
