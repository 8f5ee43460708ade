import ArgumentParser

/// `parley admin`: administration of accounts, directly in the database.
struct Admin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Manage users, operators, rooms, links, mutes, bans, suspensions, sessions and API keys, reset passwords, print events and the audit log, manage webhooks, trace a message, test a client.",
        discussion: """
            These commands change the database directly. Running nodes see the changes within seconds. `trace` queries a \
            running node, and `conformance` runs a separate server without a database.
            """,
        subcommands: [
            CreateUser.self, EraseUser.self, CreateThread.self, DeleteThread.self, SetVisibility.self, SetHistory.self,
            SetRoom.self, SanctionUser.self, EndSanction.self, ListSanctions.self, Links.self, SuspendUser.self,
            EndSuspension.self, ListSuspensions.self, Sessions.self, ListAudit.self, CreateKey.self, RevokeKey.self,
            GrantOperator.self,
            RevokeOperator.self, ResetPassword.self, List.self, Events.self, EventGroupsCommand.self,
            WebhooksCommand.self, Trace.self,
            Conformance.self,
        ]
    )
}
