import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin grant-operator`
struct GrantOperator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a user an operator, with access to the console and /v1/admin.",
        discussion: """
            The right belongs to the account, not to its name, and applies from the user's next request. The command is \
            idempotent.
            """)

    @Argument(help: "Username or ID of the user. The prefix id: or name: selects one of the two.")
    var user: String

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        try await flags.withMessaging { messaging in
            let user = try await flags.findUser(user, messaging)
            let isChanged = try await messaging.setOperator(true, of: user, by: .commandLine)
            print("\(user.id)\t\(user.name)\t\(isChanged ? "is an operator now" : "was an operator already")")
        }
    }
}

/// `parley admin revoke-operator`
struct RevokeOperator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Revoke the right that grant-operator granted.",
        discussion: """
            The change applies from the user's next request. Users who are operators by PARLEY_AUTH_ADMINS or by a JWT \
            claim stay operators. The command is idempotent.
            """)

    @Argument(help: "Username or ID of the user. The prefix id: or name: selects one of the two.")
    var user: String

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        try await flags.withMessaging { messaging in
            let user = try await flags.findUser(user, messaging)
            let isChanged = try await messaging.setOperator(false, of: user, by: .commandLine)
            print("\(user.id)\t\(user.name)\t\(isChanged ? "is no operator any more" : "was no operator")")
        }
    }
}
