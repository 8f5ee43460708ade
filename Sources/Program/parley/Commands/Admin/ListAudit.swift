import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin audit`
struct ListAudit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "List the audit log, newest first: time, action, actor, thread, user, before, after, reason.",
        discussion: "The fields of a line are separated by tabs; a field that does not apply is a hyphen.")

    @Option(help: "Only rows about this thread, by its ID.", transform: { try ThreadID(argument: $0) })
    var thread: ThreadID?

    @Option(help: "Only rows about this user, by ID.", transform: { try UserID(argument: $0) })
    var user: UserID?

    @Option(help: "Only rows of this acting user, by ID.", transform: { try UserID(argument: $0) })
    var actor: UserID?

    @Option(
        help: "Only this action, for example ban or message_deleted.", transform: { try AuditAction(argument: $0) })
    var action: AuditAction?

    @Option(help: "Maximum number of lines, 1 to 10000.")
    var limit = 100

    @OptionGroup var flags: DatabaseFlags

    private static let pageSize = 200

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit must be in the range 1 to 10000") }
    }

    func run() async throws {
        let filter = AuditFilter(thread: thread, user: user, actor: actor, action: action)
        try await flags.withMessaging { messaging in
            var (place, left): (Int64?, Int) = (nil, limit)
            repeat {
                let page = try await messaging.audit(
                    filter, before: place, limit: min(left, Self.pageSize), by: .commandLine)
                for entry in page.elements { print(entry.line) }
                left -= page.elements.count
                place = page.last?.id
            } while place != nil && left > 0
        }
    }
}

extension AuditEntry {
    /// `2026-11-27T14:05:00Z`, `mute`, `user:0190c2`, `0190a1`, `0190d4`, `-`, `{"until_ms":1795255800123}` and `spam`,
    /// separated by tabs.
    fileprivate var line: String {
        let (kind, id) = note.actor.stored
        let fields: [String?] = [
            CivilTime.rfc3339(milliseconds: milliseconds), note.action.rawValue, id.map { "\(kind):\($0)" } ?? kind,
            note.thread?.text, note.user?.text, note.storedStates.before, note.storedStates.after, note.reason,
        ]
        return fields.map { $0 ?? "-" }.joined(separator: "\t")
    }
}

extension ThreadID {
    /// - Throws: `ValidationError` for a text that is not an ID.
    fileprivate init(argument text: String) throws {
        guard let id = ThreadID(text) else { throw ValidationError("\(text) is not an ID of a thread") }
        self = id
    }
}

extension UserID {
    /// - Throws: `ValidationError` for a text that is not an ID.
    fileprivate init(argument text: String) throws {
        guard let id = UserID(text) else { throw ValidationError("\(text) is not an ID of a user") }
        self = id
    }
}

extension AuditAction {
    /// - Throws: `ValidationError` for an unknown name.
    fileprivate init(argument text: String) throws {
        guard let action = AuditAction(rawValue: text) else {
            let names = AuditAction.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("the action is unknown; allowed are \(names)")
        }
        self = action
    }
}
