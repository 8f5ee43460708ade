import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin reset-password`
struct ResetPassword: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set a new password for a user, and revoke all their sessions.",
        discussion: "All sockets of the user are closed within seconds, regardless of their credentials.")

    @Argument(help: "Username or ID of the user. The prefix id: or name: selects one of the two.")
    var user: String

    @OptionGroup var password: NewPassword
    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        let (text, shown) = try password.read()
        try await flags.withMessaging { messaging in
            let user = try await flags.findUser(user, messaging)
            try await messaging.setPassword(text, of: user, by: .commandLine)
            if let shown { print(shown) }
        }
    }
}
