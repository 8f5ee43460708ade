import ParleyModel
import ParleyStorage
import Testing

/// The decisions about entries on tables in memory; the contract suites of the stores cover their tables.
@Suite struct BatchFlowTests {
    private let ann = User(id: UserID(trusted: "ann"), name: "Ann")
    private let bob = User(id: UserID(trusted: "bob"), name: "Bob")
    private let room = ThreadID(trusted: "t")
    private let tables = FakeTables()

    private func message(_ id: String, at seq: Int64, epoch: String = "e", recipient: User? = nil) -> LogEvent {
        let body = Message(
            id: MessageID(trusted: id), sender: ann, text: "text", clientID: "c-\(id)", recipient: recipient)
        return event(.message(body), at: seq, epoch: epoch, in: recipient.map { ThreadInfo.directID(ann.id, $0.id) })
    }

    private func event(
        _ body: LogEvent.Body, at seq: Int64, epoch: String = "e", in thread: ThreadID? = nil, outboxID: Int64? = nil
    ) -> LogEvent {
        var event = LogEvent(
            thread: thread ?? room, position: Position(epoch: Epoch(epoch), seq: seq), milliseconds: 500,
            messageCount: 0, body: body)
        event.outboxID = outboxID
        return event
    }

    private func write(_ events: LogEvent...) throws -> (outcomes: [StoreOutcome], flow: BatchFlow<FakeTables>) {
        let entries = events.enumerated().map {
            IngestBatch.Entry(offset: "\($0.offset)", content: .event($0.element))
        }
        var flow = BatchFlow(tables)
        return (try flow.write(IngestBatch(partition: Partition(number: 0), incarnation: "i", entries: entries)), flow)
    }

    init() {
        tables.threads[room] = ThreadState(
            epoch: "e", headSeq: 9, headN: 3, headMilliseconds: 400, lastMessageSeq: 9, pair: [])
    }

    @Test("an event above the head needs no look-up")
    func new() throws {
        let (outcomes, flow) = try write(message("m1", at: 10), message("m2", at: 12))
        #expect(outcomes == [.stored(seq: 10), .stored(seq: 12)])
        #expect(tables.written == ["event 10", "event 12"] && tables.lookups == 0)
        #expect(flow.changedThreads.map(\.state.headSeq) == [12] && flow.redactions.isEmpty)
    }

    @Test("an event that proves to be stored is repeated; a repeated send leaves its seq empty")
    func repeats() throws {
        tables.stored = ["m1": .known(seq: 4), "m2": .repeatedSend(seq: 5)]
        let (outcomes, flow) = try write(message("m1", at: 10), message("m2", at: 11))
        #expect(outcomes == [.repeated(seq: 4), .repeated(seq: 5)])
        #expect(tables.written == ["empty 11 of 5"])
        #expect(flow.changedThreads.map(\.state.headSeq) == [11])
    }

    @Test("tables that do not assume events to be new are asked first")
    func known() throws {
        tables.assumesNew = false
        tables.stored = ["m1": .known(seq: 10), "m2": .laterUse]
        let outcomes = try write(message("m1", at: 10), message("m2", at: 11)).outcomes
        #expect(outcomes == [.repeated(seq: 10), .stored(seq: 11)])
        #expect(tables.written == ["event 11 later"])
    }

    @Test("a late event takes its free seq, and the next one in the following epoch if that is taken")
    func late() throws {
        tables.taken = [5]
        let (outcomes, _) = try write(message("m1", at: 4), message("m2", at: 5))
        #expect(outcomes == [.stored(seq: 4), .stored(seq: 10)])
        #expect(tables.written == ["event 4", "count up 4", "event 10"])
        #expect(tables.epochs == ["e", Epoch("e").successor.text])
    }

    @Test("an event of the outbox is stored once")
    func relayed() throws {
        tables.outbox = [7]
        let renamed = LogEvent.Body.renamed(title: "tea", by: ann.id)
        let (outcomes, _) = try write(
            event(renamed, at: 10, outboxID: 7), event(renamed, at: 11, outboxID: 7))
        #expect(outcomes == [.stored(seq: 10), .repeated(seq: 11)])
        #expect(tables.written == ["event 10", "empty 11 of nothing"])
    }

    @Test("an invalid event is rejected, its seq counts as used, and the rest of the batch goes on")
    func rejected() throws {
        let edit = MessageEdit(messageID: MessageID(trusted: "none"), messageSeq: 1, text: "x", by: ann.id)
        let nowhere = event(.renamed(title: "tea", by: ann.id), at: 1, in: ThreadID(trusted: "nowhere"))
        let (outcomes, flow) = try write(event(.edited(edit), at: 10), nowhere, message("m1", at: 11))
        #expect(outcomes == [.rejected("unknown message"), .rejected("unknown thread"), .stored(seq: 11)])
        #expect(tables.written == ["reject 0", "reject 1", "event 11"])
        #expect(flow.changedThreads.map(\.state.headSeq) == [11])
    }

    @Test("an error about a row is a rejection, and any other ends the batch")
    func errors() throws {
        tables.failure = .about("row")
        #expect(try write(message("m1", at: 10)).outcomes == [.rejected("row")])
        tables.failure = .other
        #expect(throws: FakeTables.Failure.other) { try write(message("m1", at: 10)) }
    }

    @Test("nothing of a deleted thread is stored")
    func deleted() throws {
        tables.deleted = [room]
        tables.outbox = [7]
        let (outcomes, _) = try write(event(.left(ann, by: ann.id), at: 10, outboxID: 7))
        #expect(outcomes == [.dropped(DeletedEpochs.reason)])
        #expect(tables.written.isEmpty && tables.outbox.isEmpty)
    }

    @Test("an erased sender's text is not stored, and the log is redacted")
    func erased() throws {
        tables.erased = [ann.id]
        let (outcomes, flow) = try write(message("m1", at: 10))
        #expect(outcomes == [.stored(seq: 10)] && tables.texts == [""])
        #expect(flow.redactions == [OutboxEntry.Draft(thread: room, content: .redactUser(ann.id))])
    }

    @Test("the first direct message makes a thread and its members, but for those whose departure is pending")
    func direct() throws {
        tables.pendingLeaves = ["bob"]
        #expect(try write(message("m1", at: 1, recipient: bob)).outcomes == [.stored(seq: 1)])
        #expect(tables.written == ["thread ann+bob", "member ann", "event 1"])
        tables.users = ["ann"]
        let other = FakeTables()
        other.users = ["ann"]
        var flow = BatchFlow(other)
        let entry = IngestBatch.Entry(offset: "0", content: .event(message("m1", at: 1, recipient: bob)))
        let batch = IngestBatch(partition: Partition(number: 0), incarnation: "i", entries: [entry])
        #expect(
            try flow.write(batch) == [.rejected("sender or recipient of a direct message is unknown")])
    }

    @Test("a checkpoint of a stream that has been lost covers nothing of the one that follows")
    func foreignCheckpoint() throws {
        tables.checkpoint = IngestCheckpoint(incarnation: "other", offset: "0")
        let outcomes = try write(message("m1", at: 10), message("m2", at: 11)).outcomes
        #expect(outcomes == [.stored(seq: 10), .stored(seq: 11)])
        #expect(tables.written == ["event 10", "event 11"])
    }

    @Test("entries that the checkpoint covers are recalled")
    func recalled() throws {
        tables.stored = ["m1": .known(seq: 10)]
        tables.checkpoint = IngestCheckpoint(incarnation: "i", offset: "0")
        let outcomes = try write(message("m1", at: 10), message("m2", at: 11)).outcomes
        #expect(outcomes == [.repeated(seq: 10), .stored(seq: 11)])
        #expect(tables.written == ["event 11"])
    }
}

/// Tables that hold what a test says, and record what is written.
private final class FakeTables: BatchTables {
    enum Failure: Error, Equatable {
        case about(String)
        case other
    }

    var assumesNew = true
    var checkpoint: IngestCheckpoint?
    var threads: [ThreadID: ThreadState] = [:]
    /// By message id.
    var stored: [String: EventVerdict] = [:]
    var taken: Set<Int64> = []
    var erased: Set<UserID> = []
    var users: Set<String> = ["ann", "bob"]
    var deleted: Set<ThreadID> = []
    var pendingLeaves: Set<String> = []
    var outbox: Set<Int64> = []
    var failure: Failure?
    private(set) var written: [String] = []
    private(set) var texts: [String] = []
    /// Those of the events that are written.
    private(set) var epochs: [String] = []
    private(set) var lookups = 0

    func checkpoint(of partition: Partition) -> IngestCheckpoint? { checkpoint }
    func thread(_ id: ThreadID) -> ThreadState? { threads[id] }
    func rejectReason(of entry: IngestBatch.Entry, in batch: IngestBatch) -> String? { nil }
    func verdict(on event: LogEvent) -> EventVerdict {
        lookups += 1
        return event.message.flatMap { stored[$0.id.text] } ?? .new
    }
    func isTaken(_ seq: Int64, in thread: ThreadID) -> Bool { taken.contains(seq) }
    func isErased(_ user: UserID) -> Bool { erased.contains(user) }
    func areKnown(_ users: Set<String>) -> Bool { self.users.isSuperset(of: users) }
    func isOfDeletedThread(_ event: LogEvent, _ thread: ThreadState?) -> Bool { deleted.contains(event.thread) }
    func message(_ id: MessageID, in thread: ThreadID) -> EventEffect.Subject? { nil }
    func isMissing(_ user: String, from thread: ThreadID) -> Bool { !pendingLeaves.contains(user) }
    func isSuperseded(_ query: EventEffect.SupersedingQuery, at seq: Int64, in thread: ThreadID) -> Bool { false }
    func neighbours(of seq: Int64, in thread: ThreadID) -> Neighbours? {
        Neighbours(messagesBefore: 1, earliest: 0, latest: 1000)
    }

    func insert(_ event: LogEvent, _ effect: EventEffect?, isLaterUse: Bool, at place: EventPlace) throws -> Bool {
        if let failure { throw failure }
        if assumesNew, let message = event.message, stored[message.id.text] != nil { return false }
        written.append("event \(place.seq)" + (isLaterUse ? " later" : ""))
        epochs.append(event.position.epoch.text)
        if let message = event.message { texts.append(message.text) }
        return true
    }
    func carryOut(_ effect: EventEffect, at place: EventPlace, in thread: ThreadID) {
        written.append("effect \(place.seq)")
    }
    func countUp(after seq: Int64, in thread: ThreadID) { written.append("count up \(seq)") }
    func insertRepeat(_ event: LogEvent, of first: Int64?) {
        written.append("empty \(event.position.seq) of \(first.map(String.init) ?? "nothing")")
    }
    func insertDirectThread(_ id: ThreadID, of pair: Set<String>, at milliseconds: Int64) {
        written.append("thread \(pair.sorted().joined(separator: "+"))")
    }
    func addMember(_ user: String, of thread: ThreadID, at place: EventPlace) { written.append("member \(user)") }
    func moveCursor(of user: UserID, in thread: ThreadID, to seq: Int64, n: Int64) {}
    func moveCursor(_ mark: ReadMark, to seq: Int64, in state: ThreadState?) {}
    func settle(_ event: LogEvent, outboxID: Int64) -> Bool { outbox.remove(outboxID) != nil }
    func forgetRejects(about message: MessageID, in thread: ThreadID) {}
    func reject(_ entry: RejectedEntry, of batch: IngestBatch) { written.append("reject \(entry.offset)") }
    func rejection(for error: any Error) -> UnstorableEvent? {
        if case .about(let row) = error as? Failure { UnstorableEvent(row) } else { nil }
    }
    func asOne<Value>(_ body: () throws -> Value) throws -> Value { try body() }
}
