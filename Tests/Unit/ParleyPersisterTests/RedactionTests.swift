import CoreMetrics
import Logging
import ParleyMemory
import ParleyModel
import ParleyPersister
import ParleyTestContracts
import Synchronization
import Testing

/// Not the type of swift-log.
private typealias LogEvent = ParleyModel.LogEvent

/// A log that only records redactions.
private final class RedactedLog: MessageLog {
    struct Call: Hashable {
        let redaction: LogRedaction
        let thread: ThreadID
        /// Batches that the store had at that time.
        let stored: Int
    }

    private let state = Mutex<(calls: [Call], isAway: Bool)>(([], false))
    private let store: NaiveStore

    init(_ store: NaiveStore) {
        self.store = store
    }

    var calls: [Call] { state.withLock { $0.calls } }
    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    func append(_ draft: EventDraft, completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void) {
        completion(.failure(.unavailable("only redacts")))
    }

    func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead? { nil }

    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice {
        LogSlice(epoch: nil, events: [], end: 0, isTruncated: false)
    }

    func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError) {
        if state.withLock({ $0.isAway }) { throw .unavailable("told to be away") }
        let stored = store.committedBatches.count
        state.withLock { $0.calls.append(Call(redaction: redaction, thread: thread, stored: stored)) }
    }

    func forget(_ thread: ThreadID) async throws(AppendError) {}
}

@Suite("Redaction of the log")
struct RedactionTests {
    private let store = NaiveStore()
    private let thread = Samples.thread("t")
    private let id = MessageID(trusted: "m1")
    private let other = MessageID(trusted: "m2")

    private func worker(_ log: RedactedLog, redactsItself: Bool = false) -> PartitionWorker {
        let broker = MemoryBroker()
        let stream = MemoryLog(bus: broker, history: store, settings: MemoryLogSettings(acceptance: .immediately))
        return PartitionWorker(
            stream: stream, store: store, log: log, logRedactsItself: redactsItself,
            metrics: PersisterMetrics(partitions: stream.partitions, factory: NOOPMetricsHandler.instance),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), clock: .system, sleep: { _ in })
    }

    private func event(_ body: LogEvent.Body, _ seq: Int64) -> LogEvent {
        LogEvent(
            thread: thread, position: Position(epoch: Epoch("e"), seq: seq), milliseconds: seq, messageCount: 2,
            body: body)
    }

    private func write(
        _ worker: PartitionWorker, _ events: [LogEvent], firstOffset: Int = 1
    ) async -> BatchPlanner.Step {
        var planner = BatchPlanner(partitions: [Partition(number: 0)], settings: PersisterSettings())
        let batch = Samples.batch(events, firstOffset: firstOffset)
        // As if it had been read.
        for _ in 0..<2 { _ = planner.received([batch]) }
        return await worker.perform(.write([batch]), &planner)
    }

    private var messages: [LogEvent] {
        [
            event(.message(Samples.message("one", id: "m1")), 1), event(.message(Samples.message("two", id: "m2")), 2),
        ]
    }

    private func edit(_ id: MessageID, _ seq: Int64) -> LogEvent {
        event(.edited(MessageEdit(messageID: id, messageSeq: 1, text: "x", by: UserID(trusted: "ann"))), seq)
    }

    private func deletion(_ id: MessageID, _ seq: Int64) -> LogEvent {
        event(.deleted(MessageDeletion(messageID: id, messageSeq: 1, by: UserID(trusted: "ann"))), seq)
    }

    @Test("a batch is redacted before it is stored, and again if storing failed")
    func order() async throws {
        let log = RedactedLog(store)
        let worker = worker(log)
        _ = await write(worker, messages)
        #expect(log.calls.isEmpty)
        store.failWrites(.beforeCommit(.unavailable("cut")))
        for _ in 0..<2 { _ = await write(worker, [deletion(id, 3)], firstOffset: 3) }
        let calls = [1, 1].map { RedactedLog.Call(redaction: .messages([id]), thread: thread, stored: $0) }
        #expect(log.calls == calls)
        #expect(store.log(of: thread).last?.body == deletion(id, 3).body)
    }

    @Test("an unavailable log delays the batch")
    func away() async throws {
        let log = RedactedLog(store)
        let worker = worker(log)
        _ = await write(worker, messages)
        log.setAway(true)
        guard case .backOff = await write(worker, [deletion(id, 3)], firstOffset: 3) else {
            Issue.record("the batch was not tried again")
            return
        }
        #expect(store.log(of: thread).count == 2)
        log.setAway(false)
        _ = await write(worker, [deletion(id, 3)], firstOffset: 3)
        #expect(store.log(of: thread).count == 3)
    }

    @Test("an edit of a message that is gone is redacted, another is not")
    func edits() async throws {
        let log = RedactedLog(store)
        let worker = worker(log)
        _ = await write(worker, messages + [deletion(id, 3)])
        _ = await write(worker, [edit(id, 4), edit(other, 5)], firstOffset: 4)
        #expect(log.calls.map(\.redaction) == [.messages([id]), .messages([id])])
    }

    @Test("one query covers all edits of a batch, except of messages that the batch deletes")
    func manyEdits() async throws {
        let log = RedactedLog(store)
        let worker = worker(log)
        _ = await write(worker, messages + [deletion(id, 3)])
        #expect(store.requests.isEmpty)
        let others = (0..<300).map { MessageID(trusted: "late\($0)") }
        let late = others.enumerated().map { event(.message(Samples.message("x", id: $1.text)), Int64($0 + 4)) }
        _ = await write(worker, late, firstOffset: 4)
        let edits = ([id, id, other] + others).enumerated().map { edit($1, Int64($0 + 304)) }
        _ = await write(worker, edits + [deletion(other, 900)], firstOffset: 304)
        #expect(store.requests == [301])
        #expect(log.calls.map(\.redaction) == [.messages([id]), .messages([id, other])])
    }

    @Test("refused events are redacted too")
    func refused() async throws {
        let log = RedactedLog(store)
        let worker = worker(log)
        _ = await write(worker, messages)
        _ = await write(worker, [edit(MessageID(trusted: "unknown"), 3)], firstOffset: 3)
        #expect(log.calls.map(\.redaction) == [.messages([MessageID(trusted: "unknown")])])
    }

    @Test("the second copy of a send, which nobody can delete, is redacted")
    func secondCopy() async throws {
        let log = RedactedLog(store)
        let worker = worker(log)
        let sends = ["m1", "copy"].map { Samples.message("hi", clientID: "c", id: $0) }
        _ = await write(worker, zip(sends, 1...).map { event(.message($0), $1) })
        #expect(log.calls.map(\.redaction) == [.messages([MessageID(trusted: "copy")])])
    }

    @Test("a log that redacts itself is only told of edits stored without a text")
    func ownLog() async throws {
        let log = RedactedLog(store)
        let worker = worker(log, redactsItself: true)
        _ = await write(worker, messages + [deletion(id, 3), edit(id, 4), edit(other, 5)])
        #expect(log.calls == [RedactedLog.Call(redaction: .messages([id]), thread: thread, stored: 1)])
    }

    @Test("a single process serves no text of an edit that came after the deletion")
    func alone() async throws {
        let broker = MemoryBroker()
        let stream = MemoryLog(bus: broker, history: store, settings: MemoryLogSettings(acceptance: .whenStored))
        let worker = PartitionWorker(
            stream: stream, store: store, log: stream, logRedactsItself: true,
            metrics: PersisterMetrics(partitions: stream.partitions, factory: NOOPMetricsHandler.instance),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), clock: .system, sleep: { _ in })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await stream.run() }
            group.addTask {
                await worker.run(
                    BatchPlanner(partitions: stream.partitions, settings: PersisterSettings()))
            }
            let bodies = messages.map(\.body) + [deletion(id, 3), edit(id, 4), edit(other, 5)].map(\.body)
            for body in bodies { _ = try await stream.append(EventDraft(thread: thread, body: body)) }
            let events = try await stream.events(in: thread, after: 3, limit: 9).events
            let texts = events.map { event in if case .edited(let edit) = event.body { edit.text } else { "none" } }
            #expect(texts == ["", "x"])
            group.cancelAll()
        }
    }
}
