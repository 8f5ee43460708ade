import ParleyModel

/// One session that holds partition locks. Not Sendable: it lives on the thread of `PostgresPartitionLocks`.
///
/// Any error means that its locks may be lost; then it is thrown away, which ends it.
final class PartitionLockSession {
    private let connection: PostgresConnection
    /// The server's process for this session. Another one later means that something between us and the server hands
    /// sessions around.
    private let process: Int64
    private var owned: Set<Int64> = []

    /// Connects and takes part.
    init(_ settings: PostgresSettings) throws {
        connection = try PostgresConnection(settings)
        let keepalive = settings.keepalive
        let texts = [keepalive.idle, keepalive.interval, keepalive.count, keepalive.limit].map {
            Parameter.text("\($0)")
        }
        let replies = try connection.run([
            PartitionLockQueries.watchPeer(texts[0], texts[1], texts[2], texts[3]),
            PartitionLockQueries.takePart(), PartitionLockQueries.survey(),
        ])
        process = try replies[2].first?.int(0) ?? 0
    }

    /// See `PartitionLocks.balance`.
    func balance(_ partitions: [Partition]) throws -> PartitionAssignment {
        let replies = try connection.run([PartitionLockQueries.survey(), PartitionLockQueries.owners()])
        guard let survey = replies[0].first, try survey.int(0) == process else { throw Self.handedAround }
        let members = max(1, try survey.int(1))
        let held = try replies[1].map { (number: try $0.int(0), isOurs: try $0.bool(1)) }
        guard owned == Set(held.filter(\.isOurs).map(\.number)) else { throw Self.handedAround }

        let numbers = Set(partitions.map { Int64($0.number) })
        let fair = (numbers.count + Int(members) - 1) / Int(members)
        let wanted = owned.intersection(numbers).sorted()
        if wanted.count < fair {
            let free = numbers.subtracting(held.map(\.number)).sorted()
            let taken = try connection.run([
                PartitionLockQueries.take(.ints(free), .int(Int64(fair - wanted.count)))
            ])
            owned.formUnion(try taken[0].map { try $0.int(0) })
        }
        // Those that nobody asks for any more go as well.
        let surplus = Set(wanted.dropFirst(fair)).union(owned.subtracting(numbers))
        return PartitionAssignment(owned: Self.partitions(owned), surplus: Self.partitions(surplus))
    }

    /// Partitions that are not held are passed over.
    func release(_ partitions: [Partition]) throws {
        let given = owned.intersection(partitions.map { Int64($0.number) })
        guard !given.isEmpty else { return }
        let released = try connection.run([PartitionLockQueries.release(.ints(given.sorted()))])[0].count
        guard released == given.count else { throw Self.handedAround }
        owned.subtract(given)
    }

    func releaseAll() throws {
        try connection.run([PartitionLockQueries.releaseAll()])
        owned = []
    }

    private static let handedAround = StoreError.failed(
        "the session with PostgreSQL is not the one that took the locks; a pooler between must keep sessions whole")

    private static func partitions(_ numbers: Set<Int64>) -> Set<Partition> {
        Set(numbers.map { Partition(number: Int($0)) })
    }
}
