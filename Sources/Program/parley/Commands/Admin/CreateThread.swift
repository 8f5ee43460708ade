import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin create-thread`
struct CreateThread: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create a room, or add members to an existing one.",
        discussion:
            "Open sockets of the new members enter the room within seconds, and its log receives `joined` events.")

    @Argument(help: "Title of the room: 1 to 64 characters.")
    var title: String

    @Option(help: "ID of the room (default: generated): 1 to 90 characters of A-Z a-z 0-9 . _ -, not ending in .events")
    var id: String?

    @Option(
        help: "public: listed, anybody joins; unlisted: who knows the ID joins; private: members only.",
        transform: { try RoomVisibility(argument: $0) })
    var visibility = RoomVisibility.public

    @Option(
        help: "What a member of a new room sees of the time before they joined: all or since_joining.",
        transform: { try RoomHistory(argument: $0) })
    var history = RoomHistory.all

    @Option(
        name: .customLong("member"),
        help: "Username or ID of a member, optionally with the prefix name: or id:; repeatable.")
    var members: [String] = []

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        try await flags.withMessaging { messaging in
            let room = try await room(messaging)
            print("id: \(room)")
            for member in members {
                let user = try await flags.findUser(member, messaging)
                _ = try await messaging.setMember(user, of: room, role: nil, by: .commandLine)
            }
        }
    }

    /// The public room of the title, created if there is none, or a new room that is not public.
    private func room(_ messaging: Messaging) async throws -> ThreadID {
        // An existing room with the title is used, unless another id is given.
        if visibility == .public, let room = try await messaging.room(titled: title) {
            if let id, id != room.id.text { throw ValidationError("the title is taken by the room \(room.id)") }
            return room.id
        }
        return try await messaging.createRoom(
            titled: title, id: id, visibility: visibility, history: history, by: .commandLine
        ).room.id
    }
}
