import ParleyModel
import ParleyStorage

/// A session that holds partition locks. Not `Sendable`: it is only used on the thread of `PostgresPartitionLocks`.
///
/// After any error its locks may be lost. The owner then discards the session, which ends it.
final class PartitionLockSession {
    private let connection: PostgresConnection
    /// The server process of this session. If it changes, a pooler between client and server has switched sessions.
    private let process: Int64
    private var owned: Set<Int64> = []

    /// Connects and joins the persisters.
    init(_ settings: PostgresSettings) throws {
        connection = try PostgresConnection(settings)
        let keepalive = settings.keepalive
        let texts = [keepalive.idle, keepalive.interval, keepalive.count, keepalive.limit].map {
            Parameter.text("\($0)")
        }
        var pipeline = Pipeline(
            PartitionLockQueries.watchPeer(texts[0], texts[1], texts[2], texts[3]), PartitionLockQueries.takePart())
        let survey = pipeline.add(PartitionLockQueries.survey())
        process = try connection.run(pipeline).first(survey)?.process ?? 0
    }

    /// See `PartitionLocks.balance`.
    func balance(_ partitions: [Partition]) throws -> PartitionAssignment {
        var pipeline = Pipeline()
        let surveyed = pipeline.add(PartitionLockQueries.survey())
        let owners = pipeline.add(PartitionLockQueries.owners())
        let replies = try connection.run(pipeline)
        guard let survey = try replies.first(surveyed), survey.process == process else { throw Self.switchedSession }
        let held = try replies.all(owners)
        guard owned == Set(held.filter(\.isOurs).map(\.number)) else { throw Self.switchedSession }

        let balance = PartitionBalance(
            of: partitions, owned: Self.partitions(owned), locked: Self.partitions(Set(held.map(\.number))),
            members: Int(survey.members))
        if balance.missing > 0 {
            let free = balance.free.map { Int64($0.number) }
            owned.formUnion(try connection.run(PartitionLockQueries.take(.ints(free), .int(Int64(balance.missing)))))
        }
        return balance.assignment(owned: Self.partitions(owned))
    }

    /// Releases the given partitions, and ignores partitions that are not held.
    func release(_ partitions: [Partition]) throws {
        let given = owned.intersection(partitions.map { Int64($0.number) })
        guard !given.isEmpty else { return }
        let released = try connection.run(PartitionLockQueries.release(.ints(given.sorted()))).count
        guard released == given.count else { throw Self.switchedSession }
        owned.subtract(given)
    }

    func releaseAll() throws {
        try connection.run([PartitionLockQueries.releaseAll()])
        owned = []
    }

    private static let switchedSession = StoreError.failed(
        "the PostgreSQL session is not the one that took the locks; a connection pooler must use session mode")

    private static func partitions(_ numbers: Set<Int64>) -> Set<Partition> {
        Set(numbers.map { Partition(number: Int($0)) })
    }
}
