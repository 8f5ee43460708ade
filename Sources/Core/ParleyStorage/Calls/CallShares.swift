/// The division of a store's connections among the classes of calls, as a value.
///
/// Some connections are reserved: only calls of their class may take them, so that a flood of other calls delays
/// neither the storing of messages nor logins. Unless another maximum is set, calls of `searching` never use more than
/// a quarter of the connections, and there are never more of them than half the number of processors. All other
/// connections are used in the order of the calls.
///
/// With 16 processors or more, and no other maximum:
///
/// | connections | reserved for storing | for serving | for reading | at most for searching |
/// |---|---|---|---|---|
/// | 1, 2 | 0 | 0 | 0 | 1 |
/// | 3 | 1 | 0 | 0 | 1 |
/// | 4 | 1 | 1 | 1 | 1 |
/// | 8 | 1 | 2 | 1 | 2 |
/// | 32 | 1 | 8 | 4 | 8 |
package struct CallShares: Hashable, Sendable {
    /// The maximum number of waiting searches. They are slow, so the last ones of a longer queue would time out.
    package static let maximumSearches = 64

    /// The number of connections, at least 1.
    package let connections: Int
    private let reserved: [Int]
    /// The most connections that calls of each class can ever use at once.
    package let limits: [Int]
    /// The connections that calls of each class use now.
    package private(set) var used: [Int]
    /// The number of connections in use.
    package private(set) var inUse = 0

    /// - Parameters:
    ///   - hasWriter: whether calls of `storing` have a connection elsewhere, so that none is reserved here.
    ///   - processors: the number of processors of this machine. A search keeps one busy, here or at the database.
    ///   - searches: the most calls of `searching` at once, whatever the number of processors: the database may be on
    ///     another machine. Connections reserved for other classes stay reserved.
    package init(connections: Int, hasWriter: Bool = false, processors: Int, searches: Int? = nil) {
        let connections = max(1, connections)
        self.connections = connections
        let reserved = CallClass.allCases.map { kind in
            switch kind {
            case .storing: connections >= 3 && !hasWriter ? 1 : 0
            case .serving: connections / 4
            case .reading: connections >= 4 ? max(1, connections / 8) : 0
            case .searching: 0
            }
        }
        self.reserved = reserved
        limits = CallClass.allCases.map { kind in
            let free = connections - reserved.reduce(0, +) + reserved[kind.rawValue]
            return kind == .searching ? min(free, max(1, searches ?? min(connections / 4, processors / 2))) : free
        }
        used = CallClass.allCases.map { _ in 0 }
    }

    /// Whether a call of a class may take a connection now.
    package func admits(_ kind: CallClass) -> Bool {
        guard used[kind.rawValue] < limits[kind.rawValue] else { return false }
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
