import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin sanction`
struct SanctionUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sanction",
        abstract: "Mute a user in a room, or ban a user from it.",
        discussion: """
            A muted user reads, but cannot write. A banned user is removed, and can neither join nor be added. Without \
            --seconds, this lasts until end-sanction. An earlier mute or ban of the user in the room is replaced. The \
            change applies within seconds.
            """)

    @Argument(help: "ID of the room; `parley admin list threads` shows it.")
    var room: String

    @Argument(help: "Username or ID of the user. The prefix id: or name: selects one of the two.")
    var user: String

    @Argument(help: "mute or ban.", transform: { try Sanction.Kind(argument: $0) })
    var kind: Sanction.Kind

    @Option(help: "Time until it ends, in seconds: 1 to \(Sanction.longestSeconds) (default: no end).")
    var seconds: Int64?

    @Option(help: "Reason, which the user can read: 1 to \(Sanction.reasonScalars) characters.")
    var reason: String?

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        let id = try ThreadID(room: room)
        try await flags.withMessaging { messaging in
            let user = try await flags.findUser(user, messaging)
            let request = try SanctionRequest(kind, seconds: seconds, reason: reason)
            print(try await messaging.sanction(user, in: id, request, by: .commandLine).line)
        }
    }
}

/// `parley admin end-sanction`
struct EndSanction: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End a mute or a ban before its time.",
        discussion: "The change applies within seconds. The end of a ban does not make the user a member again.")

    @Argument(help: "ID of the room; `parley admin list threads` shows it.")
    var room: String

    @Argument(help: "Username or ID of the user. The prefix id: or name: selects one of the two.")
    var user: String

    @Argument(help: "mute or ban.", transform: { try Sanction.Kind(argument: $0) })
    var kind: Sanction.Kind

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        let id = try ThreadID(room: room)
        try await flags.withMessaging { messaging in
            let user = try await flags.findUser(user, messaging)
            try await messaging.endSanction(kind, of: user, in: id, by: .commandLine)
            print("\(user.id)\t\(user.name)\t\(kind.rawValue)\tended")
        }
    }
}

/// `parley admin sanctions`
struct ListSanctions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sanctions",
        abstract: "List the mutes and bans of a room, one per line: ID and name of the user, kind, end, reason.")

    @Argument(help: "ID of the room; `parley admin list threads` shows it.")
    var room: String

    @OptionGroup var flags: DatabaseFlags

    private static let pageSize = 200

    func run() async throws {
        let id = try ThreadID(room: room)
        try await flags.withMessaging { messaging in
            var place: SanctionPlace?
            repeat {
                let page = try await messaging.sanctions(
                    in: id, after: place, limit: Self.pageSize, by: .commandLine)
                for record in page.elements { print(record.line) }
                place = page.last.map { SanctionPlace($0) }
            } while place != nil
        }
    }
}

extension Sanction.Kind {
    /// - Throws: `ValidationError` for an unknown name.
    fileprivate init(argument text: String) throws {
        guard let kind = Sanction.Kind(rawValue: text) else {
            let names = Sanction.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("the kind of sanction is unknown; allowed are \(names)")
        }
        self = kind
    }
}

extension ThreadID {
    /// - Throws: `ValidationError` for a text that is not an ID.
    init(room text: String) throws {
        guard let id = ThreadID(text) else { throw ValidationError("\(text) is not an ID of a room") }
        self = id
    }
}

extension SanctionRecord {
    /// `0190c2`, `bob`, `mute`, `2026-11-27T14:05:00Z` and `spam`, separated by tabs.
    fileprivate var line: String {
        let end = sanction.until.map { CivilTime.rfc3339(milliseconds: $0) } ?? "no end"
        return "\(user.id)\t\(user.name)\t\(sanction.kind.rawValue)\t\(end)" + (sanction.reason.map { "\t\($0)" } ?? "")
    }
}
