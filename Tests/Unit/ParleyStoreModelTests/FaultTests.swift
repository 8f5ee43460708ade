import ParleyModel
import ParleyStorage
import ParleyStoreModel
import ParleyTestContracts
import Synchronization
import Testing

@Suite("Faults of the model of the store")
struct FaultTests {
    /// Plays one fault to each call of a kind.
    private final class Script: DatabaseHook {
        enum Fault: Sendable {
            case unavailable, lostBeforeCommit, lostAnswer
        }

        private let fault: Mutex<(kind: DatabaseCall.Kind, fault: Fault)?>
        private let calls = Mutex<[DatabaseCall]>([])

        init(_ fault: Fault, _ kind: DatabaseCall.Kind) {
            self.fault = Mutex((kind, fault))
        }

        var seen: [DatabaseCall] { calls.withLock { $0 } }

        private func fault(of call: DatabaseCall) -> Fault? {
            fault.withLock { $0.flatMap { $0.kind == call.kind ? $0.fault : nil } }
        }

        func before(_ call: DatabaseCall) async throws(StoreError) -> DatabaseCall.Course {
            calls.withLock { $0.append(call) }
            await Task.yield()
            switch fault(of: call) {
            case .unavailable: throw .unavailable("down")
            case .lostBeforeCommit: return .rollBack(.unavailable("cut"))
            case .lostAnswer, nil: return .run
            }
        }

        func after(_ call: DatabaseCall) async throws(StoreError) {
            if case .lostAnswer = fault(of: call) { throw .unavailable("cut") }
        }
    }

    private let database = ModelTestDatabase()
    private let ann = User(id: UserID(trusted: "ann"), name: "ann")
    private let room = ThreadID(trusted: "r")

    private func makeRoom() async throws -> any StoreUnderTest {
        let store = try await database.open()
        try await store.createUser(ann, passwordHash: nil)
        _ = try await store.join(ann, roomTitled: "tea", newID: room, at: 1)
        return store
    }

    private func message(_ seq: Int64) -> IngestBatch {
        let event = Samples.event("text \(seq)", in: room, seq: seq)
        return IngestBatch(
            partition: Partition(number: 0), incarnation: "i",
            entries: [IngestBatch.Entry(offset: "\(seq)", content: .event(event))])
    }

    @Test("a call that does not reach the database changes nothing")
    func unavailable() async throws {
        let store = try await makeRoom()
        let cut = database.open(as: "cut", hook: Script(.unavailable, .write))
        await #expect(throws: StoreError.unavailable("down")) { try await cut.write([message(1)]) }
        #expect(try await store.head(of: room) == nil)
    }

    @Test("a write whose answer is lost is stored, and is recognised when it is repeated")
    func lostAnswer() async throws {
        let store = try await makeRoom()
        let cut = database.open(as: "cut", hook: Script(.lostAnswer, .write))
        await #expect(throws: StoreError.unavailable("cut")) { try await cut.write([message(1)]) }
        #expect(try await store.head(of: room)?.position.seq == 1)
        #expect(try await store.write([message(1)]) == [[.repeated(seq: 1)]])
    }

    @Test("a connection that is lost before the commit uses up ids, and changes nothing else")
    func lostBeforeCommit() async throws {
        let store = try await makeRoom()
        let last = try #require(try await store.outboxEntries(of: room, limit: 9).last)
        let cut = database.open(as: "cut", hook: Script(.lostBeforeCommit, .state))
        await #expect(throws: StoreError.unavailable("cut")) {
            try await cut.rename(room, to: "milk", by: ann.id, at: 2) { _ in }
        }
        #expect(try await store.threads([room])[room]?.title == "tea")
        let change = try await store.rename(room, to: "water", by: ann.id, at: 3) { _ in }
        #expect(change.outbox.map(\.id) == [last.id + 2])
    }

    @Test("a hook sees each transaction of a call with its kind and its client")
    func calls() async throws {
        let script = Script(.unavailable, .locks)
        let store = database.open(as: "node", hook: script)
        try await store.createUser(ann, passwordHash: nil)
        _ = try await store.join(ann, roomTitled: "tea", newID: room, at: 1)
        #expect(script.seen.map(\.kind) == [.account, .account, .state])
        #expect(script.seen.map(\.isWrite) == [true, false, true])
        #expect(script.seen.allSatisfy { $0.client == "node" })
    }

    @Test("a restored database has the rows of the snapshot, and the change feed says that it does not know its place")
    func restore() async throws {
        let store = try await makeRoom()
        let snapshot = database.server.snapshot()
        let mark = try await store.changes(since: nil, limit: 9).mark
        _ = try await store.write([message(1)])
        #expect(try await store.changes(since: mark, limit: 9).isReset == false)
        database.server.restore(snapshot)
        #expect(try await store.head(of: room) == nil)
        #expect(try await store.changes(since: mark, limit: 9).isReset)
        // The snapshot is a value.
        _ = try await store.write([message(1)])
        #expect(snapshot.tables.logs.isEmpty)
    }

    @Test("a restarted server keeps its rows and forgets the places of the change feed")
    func restart() async throws {
        let store = try await makeRoom()
        let mark = try await store.changes(since: nil, limit: 9).mark
        database.server.restart()
        #expect(try await store.threads([room]).count == 1)
        #expect(try await store.changes(since: mark, limit: 9).isReset)
    }

    @Test("calls of a closed store are unavailable")
    func closed() async throws {
        let store = database.open(as: "node")
        store.close()
        await #expect(throws: StoreError.self) { try await store.users([ann.id]) }
    }
}
