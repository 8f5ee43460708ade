/// How the connections of a store are divided among the classes of calls, as a value.
///
/// Some connections are reserved: only calls of their class may take them, so that a flood of other calls delays
/// neither the storing of messages nor logins. Calls of `searching` never use more than a quarter of the connections,
/// and there are never more of them than half the number of processors. Everything else is for whoever comes first.
///
/// With 16 processors or more:
///
/// | connections | reserved for storing | for serving | for reading | at most for searching |
/// |---|---|---|---|---|
/// | 1, 2 | 0 | 0 | 0 | 1 |
/// | 3 | 1 | 0 | 0 | 1 |
/// | 4 | 1 | 1 | 1 | 1 |
/// | 8 | 1 | 2 | 1 | 2 |
/// | 32 | 1 | 8 | 4 | 8 |
package struct CallShares: Hashable, Sendable {
    /// The most searches that wait at once: they are slow, so those at the end of a long queue would wait in vain.
    package static let maximumSearches = 64

    /// The number of connections, at least 1.
    package let connections: Int
    private let maximumSearching: Int
    private let reserved: [Int]
    private var used: [Int]
    /// The number of connections in use.
    package private(set) var inUse = 0

    /// - Parameters:
    ///   - hasWriter: whether calls of `storing` have a connection elsewhere, so that none is reserved here.
    ///   - processors: those of this machine. A search keeps one busy, here or at the database.
    package init(connections: Int, hasWriter: Bool = false, processors: Int) {
        let connections = max(1, connections)
        maximumSearching = max(1, min(connections / 4, processors / 2))
        self.connections = connections
        reserved = CallClass.allCases.map { kind in
            switch kind {
            case .storing: connections >= 3 && !hasWriter ? 1 : 0
            case .serving: connections / 4
            case .reading: connections >= 4 ? max(1, connections / 8) : 0
            case .searching: 0
            }
        }
        used = CallClass.allCases.map { _ in 0 }
    }

    /// The most connections that calls of a class can ever use at once.
    package func limit(of kind: CallClass) -> Int {
        let others = reserved.reduce(0, +) - reserved[kind.rawValue]
        let free = connections - others
        return kind == .searching ? min(free, maximumSearching) : free
    }

    /// The connections that calls of a class use now.
    package func used(by kind: CallClass) -> Int { used[kind.rawValue] }

    /// Whether a call of a class may take a connection now.
    package func admits(_ kind: CallClass) -> Bool {
        guard used(by: kind) < limit(of: kind) else { return false }
        // What is reserved for other classes, and not used by them, stays free.
        let kept = CallClass.allCases.reduce(0) { sum, other in
            other == kind ? sum : sum + max(0, reserved[other.rawValue] - used[other.rawValue])
        }
        return connections - inUse > kept
    }

    /// Records that a call has taken a connection.
    package mutating func take(_ kind: CallClass) {
        used[kind.rawValue] += 1
        inUse += 1
    }

    /// Records that a call has given its connection back.
    package mutating func giveBack(_ kind: CallClass) {
        used[kind.rawValue] -= 1
        inUse -= 1
    }
}
