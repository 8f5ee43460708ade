import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin create-thread`
struct CreateThread: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a room, or add members to one that is there.",
        discussion: "Sockets of new members are in the room within seconds, and its log says that they joined.")

    @Argument(help: "The title: 1 to 64 characters.")
    var title: String

    @Option(help: "The id; made if not given. 1 to 90 characters of A-Z a-z 0-9 . _ -, not ending in .events")
    var id: String?

    @Option(name: .customLong("member"), help: "A member's name or id; repeat it for several.")
    var members: [String] = []

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        try await flags.withDatabase { database in
            let room = try await room(database)
            print("id: \(room)")
            for member in members {
                let user = try await findUser(member, in: database)
                _ = try await change(database, settings: flags) {
                    try await $0.setMember(user, of: room, role: nil, byOperator: nil)
                }
            }
        }
    }

    /// The room of the title, made if there is none.
    private func room(_ database: any Database) async throws -> ThreadID {
        let title = title
        return try await change(database, settings: flags) { changes in
            // One of the title is the room that is meant, unless another id is wanted.
            if let room = try await changes.room(titled: title) {
                if let id, id != room.id.text { throw ValidationError("the title is taken by \(room.id)") }
                return room.id
            }
            return try await changes.createRoom(titled: title, id: id).room.id
        }
    }
}
