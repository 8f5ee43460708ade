import ArgumentParser
import ParleyAccounts
import ParleyModel

/// `parley admin create-user`
struct CreateUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make a user.")

    @Argument(help: "The user name: 1 to 150 letters, digits and @ . + - _")
    var name: String

    @Option(help: "The id; made if not given. 1 to 90 characters of A-Z a-z 0-9 . _ -")
    var id: String?

    @OptionGroup var password: NewPassword
    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        let user: User
        do throws(AccountError) {
            user = try NewAccount(name: name, id: id, clock: .system).user
        } catch {
            throw ValidationError(error.explanation)
        }
        let (text, shown) = try password.read()
        let hash = try await password.hash(text, settings: flags)
        try await flags.withDatabase { database in
            do {
                try await database.createUser(user, passwordHash: hash)
            } catch StoreError.taken {
                throw ValidationError("the name or the id is taken")
            }
            print("id: \(user.id)")
            if let shown { print(shown) }
        }
    }
}
