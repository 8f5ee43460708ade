import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin reset-password`
struct ResetPassword: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set a new password for a user, and revoke all their sessions.",
        discussion: "All sockets of the user close within seconds, whatever credentials opened them.")

    @Argument(help: "Username or id; id:… or name:… to force one.")
    var user: String

    @OptionGroup var password: NewPassword
    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        let (text, shown) = try password.read()
        try await flags.withDatabase { database in
            let user = try await findUser(user, in: database, settings: flags)
            try await change(database, settings: flags) { try await $0.setPassword(text, of: user) }
            if let shown { print(shown) }
        }
    }
}
