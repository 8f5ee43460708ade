import ParleyModel

/// The sessions of persisters, and the partitions that each has locked. Locks end with their session.
struct LockSessions: Sendable {
    private struct Session: Sendable {
        let client: String
        var partitions: Set<Partition> = []
        /// When the server notices that the client is gone.
        var end: Int64?
    }

    private var sessions: [Int: Session] = [:]
    private var last = 0

    init() {}

    /// Without sessions, but with numbers that were not given before.
    init(after other: LockSessions) {
        last = other.last
    }

    mutating func begin(_ client: String) -> Int {
        last += 1
        sessions[last] = Session(client: client)
        return last
    }

    mutating func end(_ session: Int) { sessions[session] = nil }

    mutating func end(of client: String) { sessions = sessions.filter { $0.value.client != client } }

    mutating func abandon(of client: String, until end: Int64) {
        for number in sessions.keys where sessions[number]?.client == client { abandon(number, until: end) }
    }

    mutating func abandon(_ session: Int, until end: Int64) {
        guard let known = sessions[session] else { return }
        sessions[session]?.end = min(known.end ?? end, end)
    }

    mutating func endAbandoned(at now: Int64) {
        sessions = sessions.filter { session in session.value.end.map { $0 > now } ?? true }
    }

    func contains(_ session: Int) -> Bool { sessions[session] != nil }
    var count: Int { sessions.count }
    func partitions(of session: Int) -> Set<Partition> { sessions[session]?.partitions ?? [] }
    var locked: Set<Partition> { sessions.values.reduce(into: []) { $0.formUnion($1.partitions) } }

    mutating func lock(_ partitions: [Partition], by session: Int) {
        sessions[session]?.partitions.formUnion(partitions)
    }

    mutating func unlock(_ partitions: Set<Partition>, by session: Int) {
        sessions[session]?.partitions.subtract(partitions)
    }
}
