import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin reset-password`
struct ResetPassword: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give a user a new password, and end all their sessions.",
        discussion: "Their sockets close within seconds, whatever they were opened with.")

    @Argument(help: "The user's name or id.")
    var user: String

    @OptionGroup var password: NewPassword
    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        let (text, shown) = try password.read()
        try await flags.withDatabase { database in
            let user = try await findUser(user, in: database)
            try await change(database, settings: flags) { try await $0.setPassword(text, of: user) }
            if let shown { print(shown) }
        }
    }
}
