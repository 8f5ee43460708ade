import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin event-groups`
struct EventGroupsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "event-groups",
        abstract: "List the groups of readers of the stream of events, or move or delete one.",
        discussion: """
            Prints a line for each group: its name, the worker that reads or was the last to read, the time of the last \
            acknowledgement in Unix milliseconds, the cursor, and the age of the oldest unread event in milliseconds.
            """)

    @Option(help: "Name of a group that is to continue at --to.")
    var move: String?

    @Option(help: "Where the group continues: start, end, or a cursor.")
    var to: String?

    @Option(help: "Name of a group to delete, with its place.")
    var delete: String?

    @OptionGroup var flags: DatabaseFlags

    func validate() throws {
        if (move == nil) != (to == nil) { throw ValidationError("--move and --to belong together") }
        if move != nil, delete != nil { throw ValidationError("--move and --delete exclude each other") }
        guard let to else { return }
        guard to == "start" || to == "end" || EventCursor(to) != nil else {
            throw ValidationError("--to must be start, end, or a cursor")
        }
    }

    func run() async throws {
        try await flags.withMessaging { messaging in
            if let move, let to {
                if to == "end" {
                    try await messaging.moveEventGroupToEnd(move, by: .commandLine)
                } else {
                    try await messaging.moveEventGroup(move, to: EventCursor(to) ?? .start, by: .commandLine)
                }
            } else if let delete {
                try await messaging.deleteEventGroup(delete, by: .commandLine)
            } else {
                let now = WallClock.system.milliseconds
                for group in try await messaging.eventGroups(for: .commandLine) {
                    let time = group.acknowledgedMilliseconds.map { "\($0)" } ?? "never"
                    let age = group.unreadMilliseconds.map { "\(max(0, now - $0))" } ?? "-"
                    print(group.name, group.reader.isEmpty ? "-" : group.reader, time, group.cursor.text, age)
                }
            }
        }
    }
}
