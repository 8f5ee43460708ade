import ArgumentParser
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// `parley admin set-room`
struct SetRoom: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change the details, the rights or the slow mode of a room, or archive it.",
        discussion: """
            Options that are not given stay as they are. An empty text removes a topic, a description or rules. An \
            archived room is read-only for all. The change applies within seconds. The command is idempotent.
            """)

    @Argument(help: "ID of the room; `parley admin list threads` shows it.")
    var room: String

    @Option(help: "Topic, at most \(RoomOptions.topicScalars) characters.")
    var topic: String?

    @Option(help: "Description, at most \(RoomDetails.descriptionScalars) characters.")
    var description: String?

    @Option(help: "Rules, at most \(RoomDetails.rulesScalars) characters.")
    var rules: String?

    @Option(help: "true to make the room read-only for all, false to open it again.")
    var archived: Bool?

    @Option(help: "Seconds between two messages of a member: 0 (none) to \(RoomOptions.longestSlowMode).")
    var slowMode: Int64?

    @Option(
        help:
            "A right, such as write=moderators: write, attach, mention or add, and everyone or moderators. Repeatable.",
        transform: { try GivenRight(argument: $0) })
    var right: [GivenRight] = []

    @OptionGroup var flags: DatabaseFlags

    @Flag(help: "Remove the picture.")
    var noPicture = false

    func run() async throws {
        let id = try ThreadID(room: room)
        let update = RoomUpdate(
            topic: topic, description: description, rules: rules, isArchived: archived, slowSeconds: slowMode,
            rights: Dictionary(right.map { ($0.right, $0.holder) }) { $1 }, picture: noPicture ? .remove : .keep)
        guard !update.isEmpty else { throw ValidationError("no option is given; see --help") }
        try await flags.withMessaging { messaging in
            let details = try await messaging.setRoom(update, of: id, by: .commandLine)
            print("\(id)\t\(details.options.tree.canonical)")
        }
    }
}

/// A right of a room, as an argument of `set-room`.
struct GivenRight {
    let right: RoomRight
    let holder: RoomRight.Holder

    /// - Throws: `ValidationError` for a text that is not such as `write=moderators`.
    init(argument text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let right = RoomRight(rawValue: parts[0]),
            let holder = RoomRight.Holder(rawValue: parts[1])
        else {
            throw ValidationError(
                "a right is write, attach, mention or add, then = and everyone or moderators; not \(text)")
        }
        self.right = right
        self.holder = holder
    }
}
