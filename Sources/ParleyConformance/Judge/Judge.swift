import ParleyModel
import ParleyWire

/// Looks for breaches of the rules in what a client does, as a value: it is told what was sent to the client and what
/// the client sent, and keeps the first violation.
///
/// Its parts: messages (`+Sends`), positions in the log (`+Events`), attempts to connect (`+Connections`).
struct Judge {
    /// What a clock, a network and an event loop may blur.
    static let tolerance = Duration.milliseconds(60)
    /// What was written to a connection so long before its end has reached a client that works.
    static let settled = Duration.milliseconds(700)

    /// Rules that are not judged.
    let allowed: Set<Rule>
    private(set) var violation: RuleViolation?
    var now = Duration.zero
    /// The number of the newest frame.
    var frame = 0

    // Messages
    var sends: [String: SendRecord] = [:]
    /// When typing was sent last.
    var typedAt: Duration?

    // Events
    var epoch = ""
    var heads: [Head] = []
    /// Live events above a hole: a client ignores them, or keeps them until it is closed.
    var beyond: Set<Int64> = []
    var hole: (upTo: Int64, since: Duration)?
    var reloadDue = false

    // Connections
    var attempts: [Duration] = []
    var noAttemptBefore: (at: Duration, rule: Rule, why: String)?
    /// Tickets up to this number must not be used, for this reason.
    var ticketBan: (through: Int, why: String)?

    init(allowed: Set<Rule>) { self.allowed = allowed }

    mutating func breaks(_ rule: Rule, _ seen: String) {
        guard violation == nil, !allowed.contains(rule) else { return }
        violation = RuleViolation(rule: rule, seen: seen, frame: frame)
    }
}
