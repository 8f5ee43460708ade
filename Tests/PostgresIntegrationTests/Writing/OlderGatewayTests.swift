import ParleyModel
import ParleyPostgres
import ParleyStorage
import ParleyTestSupport
import Testing

/// A gateway of the previous version, which writes a membership and then appends its event without an outbox entry,
/// running beside a node of this version.
@Suite("Gateways of the previous version", .timeLimit(.minutes(5)))
struct OlderGatewayTests {
    private enum Step: CaseIterable {
        /// This version changes the membership, and later appends the event.
        case change
        case relay
        /// The previous version does.
        case oldChange
        case oldAppend

        /// All interleavings of the two steps of both.
        static let orders: [[Step]] = [
            [.change, .relay, .oldChange, .oldAppend], [.change, .oldChange, .relay, .oldAppend],
            [.change, .oldChange, .oldAppend, .relay], [.oldChange, .change, .relay, .oldAppend],
            [.oldChange, .change, .oldAppend, .relay], [.oldChange, .oldAppend, .change, .relay],
        ]
    }

    private let ann = User(id: UserID(trusted: "ann"), name: "ann")
    private let bob = User(id: UserID(trusted: "bob"), name: "bob")

    @Test("the members are those of the log, in any order of changes and batches", arguments: Step.orders.indices)
    func orders(index: Int) async throws {
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore()
        for user in [ann, bob] { try await store.createUser(user, passwordHash: nil) }
        var number = 0
        for wasIn in [false, true] {
            for joins in [false, true] {
                for oldJoins in [false, true] {
                    // The steps after which the persister stores the log.
                    for stops in 0..<8 {
                        number += 1
                        let room = try await store.importRoom(
                            "room \(number)", id: ThreadID(trusted: "r\(number)"), members: wasIn ? [ann, bob] : [ann])
                        try await run(
                            Step.orders[index], room, wasIn: wasIn, joins: joins, oldJoins: oldJoins, stops: stops,
                            store, database)
                    }
                }
            }
        }
        try await database.remove()
    }

    private func run(
        _ steps: [Step], _ room: ThreadID, wasIn: Bool, joins: Bool, oldJoins: Bool, stops: Int,
        _ store: PostgresStore, _ database: PostgresTestDatabase
    ) async throws {
        var (entries, oldChanged, log, stored): ([OutboxEntry], Bool, [LogEvent], Int) = ([], false, [], 0)
        func append(_ body: LogEvent.Body, _ outboxID: Int64? = nil) {
            var event = LogEvent(
                thread: room, position: Position(epoch: Epoch("e"), seq: Int64(log.count + 1)), milliseconds: 1000,
                messageCount: 0, body: body)
            event.outboxID = outboxID
            log.append(event)
        }
        for (number, step) in steps.enumerated() {
            switch step {
            case .change where joins:
                entries =
                    try await store.setMember(bob, of: room, role: nil, by: ann.id, at: 5, authorize: { _ in }).outbox
            case .change:
                entries = try await store.removeMember(bob, from: room, by: ann.id, at: 5, authorize: { _ in }).outbox
            case .relay:
                for case (let id, .append(let body)) in entries.map({ ($0.id, $0.content) }) { append(body, id) }
            case .oldChange:
                let count = "SELECT count(*) FROM members WHERE thread_id = '\(room)'"
                let before = try await database.number(count)
                try await database.execute(
                    oldJoins
                        ? """
                        INSERT INTO members (thread_id, user_id, role, read_seq, read_n, joined_ms)
                        VALUES ('\(room)', 'bob', 'member', 0, 0, 1) ON CONFLICT DO NOTHING
                        """ : "DELETE FROM members WHERE thread_id = '\(room)' AND user_id = 'bob'")
                oldChanged = try await database.number(count) != before
            case .oldAppend:
                if oldChanged { append(oldJoins ? .joined(bob) : .left(bob, by: bob.id)) }
            }
            guard stored < log.count, number == 3 || stops & (1 << number) != 0 else { continue }
            let new = log[stored...].map {
                IngestBatch.Entry(offset: "\(room)-\($0.position.seq)", content: .event($0))
            }
            _ = try await store.write(
                IngestBatch(partition: Partition(number: 0), incarnation: "i", entries: new))
            stored = log.count
        }
        let isIn = log.reduce(wasIn) { isIn, event in
            switch event.body {
            case .joined: true
            case .left: false
            default: isIn
            }
        }
        let isMember = try await store.memberships(of: [bob.id])[bob.id]?.contains { $0.thread.id == room } ?? false
        #expect(
            isMember == isIn,
            "\(steps), in before: \(wasIn), joins: \(joins), old joins: \(oldJoins), stores after: \(stops)")
        #expect(try await store.outboxEntries(of: room, limit: 9).isEmpty)
    }
}
