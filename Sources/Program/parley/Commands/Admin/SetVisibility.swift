import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin set-visibility`
struct SetVisibility: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change who finds and enters a room.",
        discussion: """
            A public room is listed, and anybody joins. An unlisted room is in no list, and who knows its ID joins. A \
            private room is for its members only; to others it does not exist. The change applies within seconds. The \
            command is idempotent.
            """)

    @Argument(help: "ID of the room; `parley admin list threads` shows it.")
    var room: String

    @Argument(help: "public, unlisted or private.", transform: { try RoomVisibility(argument: $0) })
    var visibility: RoomVisibility

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        guard let id = ThreadID(room) else { throw ValidationError("\(room) is not an ID of a room") }
        try await flags.withMessaging { messaging in
            let room = try await messaging.setVisibility(visibility, of: id, by: .commandLine)
            print("\(room.id)\t\(room.title)\t\(room.visibility.rawValue)")
        }
    }
}

extension RoomVisibility {
    /// - Throws: `ValidationError` for an unknown name.
    init(argument text: String) throws {
        guard let visibility = RoomVisibility(rawValue: text) else {
            throw ValidationError("the visibility is unknown; allowed are \(RoomVisibility.names)")
        }
        self = visibility
    }
}
