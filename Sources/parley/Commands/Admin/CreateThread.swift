import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin create-thread`
struct CreateThread: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create a room, or add members to an existing one.",
        discussion: "Open sockets of new members enter the room within seconds, and its log gets `joined` events.")

    @Argument(help: "Title of the room: 1 to 64 characters.")
    var title: String

    @Option(help: "Id of the room (default: generated): 1 to 90 characters of A-Z a-z 0-9 . _ -, not ending in .events")
    var id: String?

    @Option(name: .customLong("member"), help: "Username or id of a member (id:… or name:… to force one); repeatable.")
    var members: [String] = []

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        try await flags.withDatabase { database in
            let room = try await room(database)
            print("id: \(room)")
            for member in members {
                let user = try await findUser(member, in: database, settings: flags)
                _ = try await change(database, settings: flags) {
                    try await $0.setMember(user, of: room, role: nil, byOperator: nil)
                }
            }
        }
    }

    /// The room of the title, created if there is none.
    private func room(_ database: any Database) async throws -> ThreadID {
        let title = title
        return try await change(database, settings: flags) { changes in
            // An existing room with the title is used, unless another id is given.
            if let room = try await changes.room(titled: title) {
                if let id, id != room.id.text { throw ValidationError("the title is taken by the room \(room.id)") }
                return room.id
            }
            return try await changes.createRoom(titled: title, id: id).room.id
        }
    }
}
