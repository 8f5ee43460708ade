import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin set-history`
struct SetHistory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change what later members of a room see of the time before they joined.",
        discussion: """
            With all, a new member sees the whole history. With since_joining, they see what follows their joining. Present \
            members keep what they see. The command is idempotent.
            """)

    @Argument(help: "ID of the room; `parley admin list threads` shows it.")
    var room: String

    @Argument(help: "all or since_joining.", transform: { try RoomHistory(argument: $0) })
    var history: RoomHistory

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        guard let id = ThreadID(room) else { throw ValidationError("\(room) is not an ID of a room") }
        try await flags.withMessaging { messaging in
            try await messaging.setHistory(history, of: id, by: .commandLine)
            print("\(id)\t\(history.rawValue)")
        }
    }
}

extension RoomHistory {
    /// - Throws: `ValidationError` for an unknown name.
    init(argument text: String) throws {
        guard let history = RoomHistory(rawValue: text) else {
            throw ValidationError("the history is unknown; allowed are \(RoomHistory.names)")
        }
        self = history
    }
}
