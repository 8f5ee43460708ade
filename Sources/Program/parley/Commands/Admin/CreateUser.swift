import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin create-user`
struct CreateUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Create a user.")

    @Argument(help: "Username: 1 to 150 letters, digits and @ . + - _")
    var name: String

    @Option(help: "ID of the user (default: generated): 1 to 90 characters of A-Z a-z 0-9 . _ -")
    var id: String?

    @OptionGroup var password: NewPassword
    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        let (text, shown) = try password.read()
        try await flags.withMessaging { messaging in
            let made = try await messaging.createUser(named: name, id: id, password: text, by: .commandLine)
            guard made.isNew else { throw ValidationError("the name or the id is taken") }
            print("id: \(made.user.id)")
            if let shown { print(shown) }
        }
    }
}
