import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin erase-user`
struct EraseUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Erase a user permanently: name, profile, sessions, memberships and the texts of all messages.",
        discussion: """
            This cannot be undone. Running nodes close the user's sockets within seconds, and persisters remove the texts \
            soon after. --name must be the user's present name, as a confirmation.
            """)

    @Argument(help: "Username or ID of the user. The prefix id: or name: selects one of the two.")
    var user: String

    @Option(help: "Present username of the user, as a confirmation.")
    var name: String

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        try await flags.withMessaging { messaging in
            let user = try await flags.findUser(user, messaging)
            guard user.name == name else {
                throw ValidationError("--name is \(name), but the user \(user.id) has the name \(user.name)")
            }
            try await messaging.erase(user, by: .commandLine)
            print("\(user.id)\t\(user.name)\terased")
        }
    }
}

/// `parley admin delete-thread`
struct DeleteThread: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Delete a room with its history.",
        discussion: "This cannot be undone. Members' sockets leave the room within seconds.")

    @Argument(help: "ID of the room; `parley admin list threads` shows it.")
    var room: String

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        guard let id = ThreadID(room) else { throw ValidationError("\(room) is not an ID of a room") }
        try await flags.withMessaging { messaging in
            try await messaging.deleteThread(id, by: .commandLine)
            print("\(id)\tdeleted")
        }
    }
}
