import ParleyModel
import Synchronization

/// A log that only has the ends of threads.
final class FakeLog: MessageLog {
    private let ends: Mutex<[ThreadID: Int64]>

    init(_ ends: [ThreadID: Int64]) {
        self.ends = Mutex(ends)
    }

    func append(_ draft: EventDraft, completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void) {
        completion(.failure(.unavailable("a fake")))
    }

    /// A negative end means that the thread's host is unavailable.
    func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead? {
        guard let end = ends.withLock({ $0[thread] }) else { return nil }
        guard end >= 0 else { throw .unavailable("away") }
        return ThreadHead(position: Position(epoch: Epoch("e"), seq: end), milliseconds: 0, messageCount: 0)
    }

    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice {
        throw .unavailable("a fake")
    }

    func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError) {}
    func forget(_ thread: ThreadID) async throws(AppendError) {}
}

/// A bus that records what is published.
final class FakeBus: ThreadBus {
    private let said = Mutex<[EphemeralEvent]>([])

    var notices: [EphemeralEvent] { said.withLock { $0 } }

    func attach(_ receiver: @escaping @Sendable (BusSignal) -> Void) {}
    func subscribe(to topics: [BusTopic], completion: @escaping @Sendable (Result<Void, BusError>) -> Void) {}
    func unsubscribe(from topics: [BusTopic]) {}
    func publish(_ event: ControlEvent, to user: UserID) {}
    func publish(_ event: EphemeralEvent, in thread: ThreadID) { said.withLock { $0.append(event) } }
}

/// Accepts every mark at once.
final class FakeMarks: ReadMarks {
    private let kept = Mutex<[ReadMark]>([])

    var marks: [ReadMark] { kept.withLock { $0 } }

    func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?, madeAt milliseconds: Int64,
        completion: @escaping @Sendable (Bool) -> Void
    ) {
        kept.withLock { $0.append(ReadMark(thread: thread, user: user, seq: seq, milliseconds: milliseconds)) }
        completion(true)
    }
}
