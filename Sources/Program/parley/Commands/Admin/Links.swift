import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin links`
struct Links: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the links that lead into a room, or revoke one.",
        discussion: """
            One line for each link in force: its ID, the ID of its author, its end, and how many users have joined of how \
            many. The codes are not stored.
            """)

    @Argument(help: "ID of the room; `parley admin list threads` shows it.")
    var room: String

    @Option(help: "ID of a link to revoke. No user can join by it afterwards.")
    var revoke: String?

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        guard let thread = ThreadID(room) else { throw ValidationError("\(room) is not an ID of a room") }
        let link = try revoke.map { text in
            guard let link = LinkID(text) else { throw ValidationError("\(text) is not an ID of a link") }
            return link
        }
        try await flags.withMessaging { messaging in
            if let link {
                try await messaging.revokeLink(link, of: thread, by: .commandLine)
                print("\(link)\trevoked")
            } else {
                for link in try await messaging.links(of: thread, by: .commandLine) { print(link.line) }
            }
        }
    }
}

extension RoomLink {
    /// `0190f7`, `0190c2`, `2026-11-27T14:05:00Z` and `3 of 10`, separated by tabs.
    fileprivate var line: String {
        let end = until.map { CivilTime.rfc3339(milliseconds: $0) } ?? "no end"
        return "\(id)\t\(author)\t\(end)\t\(used) of \(uses.map { "\($0)" } ?? "any number")"
    }
}
