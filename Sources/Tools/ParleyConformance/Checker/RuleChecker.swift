/// Looks for breaches of the rules in what a client does, as a value: it is told what was sent to the client and what
/// the client sent, and keeps the first violation.
///
/// Its parts are messages (`+Sends`), positions in the log (`+Events`), and connection attempts (`+Connections`).
struct RuleChecker {
    /// The tolerance for clocks, network and event loops.
    static let tolerance = Duration.milliseconds(60)
    /// The age after which data sent before the end of a connection must have reached a working client.
    static let settled = Duration.milliseconds(700)

    /// The rules that are not checked.
    let allowed: Set<Rule>
    private(set) var violation: RuleViolation?
    var now = Duration.zero
    /// The number of the newest frame.
    var frame = 0

    // Messages
    var sends: [String: SendRecord] = [:]
    /// The time of the last typing notification.
    var typedAt: Duration?

    // Events
    var epoch = ""
    var heads: [Head] = []
    /// Live events above a gap. A client ignores them, or keeps them until the gap is filled.
    var beyond: Set<Int64> = []
    var hole: (upTo: Int64, since: Duration)?
    var reloadDue = false

    // Connections
    var attempts: [Duration] = []
    var noAttemptBefore: (at: Duration, rule: Rule, why: String)?
    /// The highest number of a ticket that must not be used, with the reason.
    var ticketBan: (through: Int, why: String)?

    init(allowed: Set<Rule>) { self.allowed = allowed }

    mutating func report(_ rule: Rule, _ seen: String) {
        guard violation == nil, !allowed.contains(rule) else { return }
        violation = RuleViolation(rule: rule, seen: seen, frame: frame)
    }
}
