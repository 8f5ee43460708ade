import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin grant-operator`
struct GrantOperator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a user an operator, with access to the console and /v1/admin.",
        discussion: """
            The right belongs to the account, not to its name, and applies from the user's next request. Idempotent.
            """)

    @Argument(help: "Username or id; id:… or name:… to force one.")
    var user: String

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        try await flags.withDatabase { database in
            let user = try await findUser(user, in: database, settings: flags)
            let isChanged = try await change(database, settings: flags) { try await $0.setOperator(true, of: user) }
            print("\(user.id)\t\(user.name)\t\(isChanged ? "is an operator now" : "was an operator already")")
        }
    }
}

/// `parley admin revoke-operator`
struct RevokeOperator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Revoke the right that grant-operator gave.",
        discussion: """
            Applies from the user's next request. Operators by PARLEY_AUTH_ADMINS or by a JWT claim stay operators. \
            Idempotent.
            """)

    @Argument(help: "Username or id; id:… or name:… to force one.")
    var user: String

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        try await flags.withDatabase { database in
            let user = try await findUser(user, in: database, settings: flags)
            let isChanged = try await change(database, settings: flags) { try await $0.setOperator(false, of: user) }
            print("\(user.id)\t\(user.name)\t\(isChanged ? "is no operator any more" : "was no operator")")
        }
    }
}
