import ArgumentParser
import ParleyModel

/// `parley admin reset-password`
struct ResetPassword: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Give a user a new password. Sessions go on.")

    @Argument(help: "The user's name or id.")
    var user: String

    @OptionGroup var password: NewPassword
    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        let (text, shown) = try password.read()
        let hash = try await password.hash(text, settings: flags)
        try await flags.withDatabase { database in
            try await database.setPasswordHash(hash, of: findUser(user, in: database).id)
            if let shown { print(shown) }
        }
    }
}
