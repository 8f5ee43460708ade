import ParleyFanOut
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

@Suite("A traced message on its way through a node", .timeLimit(.minutes(5)))
struct TracedTests {
    /// Keeps what it is given.
    private final class Book: TraceStore {
        let stamps = Mutex<[MessageID: [TraceStamp]]>([:])

        func add(_ stamps: [TraceStamp], of message: MessageID) async {
            self.stamps.withLock { $0[message, default: []] += stamps }
        }

        func stamps(of message: MessageID) async throws(SharedStoreError) -> [TraceStamp] {
            stamps.withLock { $0[message] ?? [] }
        }
    }

    @Test("is stamped when it comes, and when each loop has flushed it, with its sockets; others are not")
    func stamps() async throws {
        let room = FanOutFixture.room("room")
        let tracer = Tracer(node: "n", every: 0, microseconds: WallClock.systemMicroseconds)
        let book = Book()
        try await FanOutFixture.run { fixture in
            let node = try await fixture.makeNode(tracer: tracer)
            var clients: [FakeClient] = []
            for (name, loop) in [("ann", 0), ("bob", 1), ("cid", 1)] {
                clients.append(try await FakeClient(name, on: node, loop: loop, in: [room]))
            }
            let traced = tracer.messageID(.system, isAsked: true)
            for (id, text) in [(traced, "one"), (tracer.messageID(.system), "two")] {
                let message = Message(id: id, sender: Samples.user("dan"), text: text)
                _ = try await fixture.log.append(EventDraft(thread: room.id, body: .message(message)))
            }
            for client in clients { #expect(try await client.wait(for: "two") == ["one", "two"]) }
            let task = Task { await tracer.run(into: book) {} }
            let isWhole = try await eventually { book.stamps.withLock { $0[traced]?.count == 3 } }
            task.cancel()
            await task.value
            #expect(isWhole)
            let stamps = book.stamps.withLock { $0 }
            #expect(stamps.count == 1)
            #expect(stamps[traced]?.map(\.hop).sorted { $0.rawValue < $1.rawValue } == [.flushed, .flushed, .received])
            #expect(stamps[traced]?.filter { $0.hop == .flushed }.map(\.sockets).sorted() == [1, 2])
        }
    }
}
