import ParleyTestSupport

/// An event as a back end has recorded it.
struct EventArrival: Sendable {
    let transport: String
    /// The process that got it.
    let process: String
    /// The thread, the epoch and the seq, separated by colons.
    let id: String
    /// All of its fields.
    let body: JSONValue
}

/// Compares what a transport has brought, in its order, with the history at the end.
struct EventComparison {
    /// By ID, what never changes about an event.
    private let facts: [String: JSONValue]
    /// The IDs of the events of each thread, in the order of the history.
    private let orders: [String: [String]]
    /// The IDs of the messages that were edited, deleted or reacted to. They, and their edits, are shown in the state
    /// that they have when they are sent.
    private let changed: Set<String>

    init(history: [EventArrival]) {
        let changed = Set(history.compactMap { $0.body["message_id"]?.string })
        self.changed = changed
        facts = Dictionary(
            history.map { ($0.id, Self.fact($0.body, changed)) }, uniquingKeysWith: { first, _ in first })
        orders = Dictionary(grouping: history.map(\.id), by: Self.thread)
    }

    /// The number of events of the history.
    var count: Int { facts.count }

    /// The faults in the arrivals of one transport: an event that is missing, that no history knows, that has
    /// changed under its ID, or that came for the first time behind a later one of its thread.
    func violations(in arrivals: [EventArrival]) -> [String] {
        var violations: [String] = []
        var seen: Set<String> = []
        var order: [String: [String]] = [:]
        for arrival in arrivals {
            guard let known = facts[arrival.id] else {
                violations.append("\(arrival.id) is not in the history: \(arrival.body.text)")
                continue
            }
            let fact = Self.fact(arrival.body, changed)
            if fact != known { violations.append("\(arrival.id) is \(fact.text), and in the history \(known.text)") }
            if seen.insert(arrival.id).inserted { order[Self.thread(of: arrival.id), default: []].append(arrival.id) }
        }
        for (thread, expected) in orders.sorted(by: { $0.key < $1.key }) {
            let missing = expected.filter { !seen.contains($0) }
            if !missing.isEmpty { violations.append("missing: \(missing)") }
            let came = order[thread] ?? []
            if came != expected.filter(seen.contains) { violations.append("\(thread) came as \(came)") }
        }
        return violations
    }

    private static func thread(of id: String) -> String {
        String(id.split(separator: ":").dropLast(2).joined(separator: ":"))
    }

    private static func fact(_ body: JSONValue, _ changed: Set<String>) -> JSONValue {
        guard case .object(var fields) = body,
            let message = fields["type"] == "Message" ? fields["id"]?.string : fields["message_id"]?.string,
            changed.contains(message)
        else { return body }
        for name in ["text", "edited_ms", "reactions", "is_deleted", "client_id"] { fields[name] = nil }
        return .object(fields)
    }
}
