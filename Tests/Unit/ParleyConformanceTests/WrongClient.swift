import ParleyConformance
import ParleyJSON

/// What a client does wrong on purpose, one thing for each rule.
enum WrongClient: String, CaseIterable, Sendable {
    case connectsWithoutDelay, neverReturns, ignoresRetryAfter, keepsItsTicket, goesOnWhenStopped, goesOnWhenForbidden
    case leavesAtBye
    case resumesNever, claimsTooMuch, leavesHoles, ignoresRollback
    case makesUpIDs, changesTexts, sendsTwice, sendsOnce, waitsNever, repeatsRefused, overtakes, forgetsEdits
    case showsTwins, showsRepeats, neverPings, forgetsMarks, alwaysTypes, babbles

    /// The rule that it breaks, and a scenario that shows it.
    var expected: (rule: Rule, scenario: String) {
        switch self {
        case .connectsWithoutDelay: (.backOff, "back-off")
        case .neverReturns: (.again, "resume")
        case .ignoresRetryAfter: (.retryAfter, "retry-after")
        case .keepsItsTicket: (.ticket, "ticket")
        case .goesOnWhenStopped: (.stop, "revoked")
        case .goesOnWhenForbidden: (.stop, "forbidden")
        case .leavesAtBye: (.bye, "bye")
        case .resumesNever: (.resume, "plain")
        case .claimsTooMuch: (.position, "resume")
        case .leavesHoles: (.gap, "behind")
        case .ignoresRollback: (.rolledBack, "rolled-back")
        case .makesUpIDs: (.clientID, "plain")
        case .changesTexts: (.unchanged, "cut-before-ack")
        case .sendsTwice: (.oneAtATime, "order")
        case .sendsOnce: (.untilStored, "cut-before-stored")
        case .waitsNever: (.wait, "rate-limited")
        case .repeatsRefused: (.refused, "refused")
        case .overtakes: (.order, "rate-limited")
        case .forgetsEdits: (.edit, "edit")
        case .showsTwins: (.once, "twice")
        case .showsRepeats: (.once, "repeats")
        case .neverPings: (.silence, "silence")
        case .forgetsMarks: (.receipts, "read")
        case .alwaysTypes: (.typing, "typing")
        case .babbles: (.frames, "plain")
        }
    }

    /// What it transmits in place of a frame. `times` counts how often this was to be transmitted.
    func mangled(_ frame: JSONTree, times: Int) -> [JSONTree] {
        switch self {
        case .resumesNever: frame["resume"] == nil ? [frame] : []
        case .claimsTooMuch: [frame.mapping("seq", in: "resume") { .integer(($0.integer ?? 0) + 1) }]
        case .leavesHoles: frame["history"]?["after"] == nil ? [frame] : []
        case .makesUpIDs: [frame.mapping("client_id", in: "message") { _ in .text("message-1") }]
        case .changesTexts:
            times == 1 ? [frame] : [frame.mapping("text", in: "message") { .text(($0.text ?? "") + "!") }]
        case .sendsTwice: frame["message"] == nil ? [frame] : [frame, frame]
        case .sendsOnce: frame["message"] == nil || times == 1 ? [frame] : []
        case .forgetsEdits: frame["edit"] == nil || times == 1 ? [frame] : []
        case .neverPings: frame["ping"] == nil ? [frame] : []
        case .forgetsMarks: frame["read"] == nil || times == 1 ? [frame] : []
        case .babbles: [frame, .object(["hello": .text("there")])]
        default: [frame]
        }
    }

    /// What it takes a frame of the server for.
    func misread(_ frame: JSONTree) -> JSONTree? {
        switch self {
        case .ignoresRollback where frame["type"]?.text == "resumed": nil
        case .waitsNever: frame.replacing("retry_after_ms", by: .integer(1))
        case .repeatsRefused: frame.replacing("retryable", by: .bool(true))
        case .overtakes: frame.replacing("retryable", by: .bool(false))
        default: frame
        }
    }
}

extension JSONTree {
    /// With another value of a member, if there is one.
    func replacing(_ key: String, by value: JSONTree) -> JSONTree {
        guard case .members(let members) = self else { return self }
        return .members(members.map { $0.key == key ? Member(key, value) : $0 })
    }

    /// With every member of that name changed, however deep in the command.
    func mapping(_ key: String, in command: String, _ change: (JSONTree) -> JSONTree) -> JSONTree {
        guard let value = self[command] else { return self }
        return replacing(command, by: value.mapping(key, change))
    }

    private func mapping(_ key: String, _ change: (JSONTree) -> JSONTree) -> JSONTree {
        guard case .members(let members) = self else { return self }
        return .members(
            members.map { Member($0.key, $0.key == key ? change($0.value) : $0.value.mapping(key, change)) })
    }
}
