import ParleyModel
import ParleyStorage

/// The tables as a batch sees them. Facts are loaded for the whole batch, and rows are collected so that each table
/// needs one statement. Only a late event is looked up and written immediately.
final class CollectedTables: BatchTables {
    private let connection: PostgresConnection
    private var facts: BatchFacts
    /// `nil` while the batches are assumed to be new.
    private var before: StoredBefore?
    private var rows = PendingRows()
    private var rejects = PendingRejects()
    /// The outbox entries whose events this batch stores or drops.
    private var settled: [Int64] = []
    /// The deleted messages, whose texts are also removed from the rejected entries.
    private var gone: [(thread: ThreadID, message: MessageID)] = []

    init(_ facts: BatchFacts, _ before: StoredBefore?, _ connection: PostgresConnection) {
        self.facts = facts
        self.before = before
        self.connection = connection
    }

    // MARK: Facts

    var assumesNew: Bool { before == nil }
    func checkpoint(of partition: Partition) -> IngestCheckpoint? { facts.checkpoints[partition] }
    func thread(_ id: ThreadID) -> ThreadState? { facts.threads[id] }
    func rejectReason(of entry: IngestBatch.Entry, in batch: IngestBatch) -> String? {
        before?.rejectReason(at: entry.offset, of: batch.partition)
    }
    func verdict(on event: LogEvent) -> EventVerdict { before?.verdict(on: event) ?? .new }
    func isTaken(_ seq: Int64, in thread: ThreadID) -> Bool { before?.isTaken(seq, in: thread) ?? true }
    func isErased(_ user: UserID) -> Bool { facts.subjects.isErased(user) }
    func areKnown(_ users: Set<String>) -> Bool { facts.users.isSuperset(of: users) }
    func isOfDeletedThread(_ event: LogEvent, _ thread: ThreadState?) -> Bool {
        facts.deleted.contains(event, in: thread)
    }
    func message(_ id: MessageID, in thread: ThreadID) -> EventEffect.Subject? {
        facts.subjects.message(id, in: thread)
    }
    func isMissing(_ user: String, from thread: ThreadID) -> Bool { facts.members.isMissing(user, from: thread) }

    func isSuperseded(
        _ query: EventEffect.SupersedingQuery, at seq: Int64, in thread: ThreadID
    ) throws -> Bool {
        try connection.run(
            WriteQueries.hasSupersedingReaction(
                .text(thread.text), .int(seq), .text(query.user.text), .text(query.message?.text), .text(query.text))
        ).first ?? false
    }

    /// Writes the pending rows first, since their numbers are changed in the tables afterwards.
    func neighbours(of seq: Int64, in thread: ThreadID) throws -> Neighbours? {
        var pipeline = Pipeline()
        pipeline.add(rows.takeCalls())
        let neighbours = pipeline.add(
            WriteQueries.neighbours(.text(thread.text), .int(seq), .int(EventRules.dates.upperBound)))
        return try connection.run(pipeline).first(neighbours)
    }

    // MARK: Rows

    func insert(_ event: LogEvent, _ effect: EventEffect?, isLaterUse: Bool, at place: EventPlace) -> Bool {
        before?.note(event, at: place.seq)
        if let message = event.message {
            rows.add(message, of: event, at: place, isLaterUse: isLaterUse)
            facts.subjects.note(message, of: event.thread, at: place.seq)
        }
        if let effect { rows.add(effect.fields, of: event, at: place) }
        return true
    }

    func carryOut(_ effect: EventEffect, at place: EventPlace, in thread: ThreadID) {
        rows.carryOut(effect.fields, at: place, in: thread)
        facts.subjects.note(effect.fields, in: thread)
    }

    func countUp(after seq: Int64, in thread: ThreadID) throws {
        try connection.run(WriteQueries.countUp.map { $0(.text(thread.text), .int(seq)) })
    }

    func insertRepeat(_ event: LogEvent, of first: Int64?) {
        rows.add(repeat: event, of: first)
        before?.noteRepeat(event, of: first ?? event.position.seq)
    }

    func insertDirectThread(_ id: ThreadID, of pair: Set<String>, at milliseconds: Int64) {
        rows.add(directThread: id, of: pair, at: milliseconds)
        before?.forget(id)
    }

    func addMember(_ user: String, of thread: ThreadID, at place: EventPlace) {
        rows.add(member: user, of: thread, at: place)
    }

    func moveCursor(of user: UserID, in thread: ThreadID, to seq: Int64, n: Int64) {
        rows.move(user, in: thread, to: seq, n: n)
    }

    func moveCursor(_ mark: ReadMark, to seq: Int64, in state: ThreadState?) { rows.add(mark, through: seq) }

    func settle(_ event: LogEvent, outboxID: Int64) -> Bool {
        guard facts.removeFromOutbox(outboxID) else { return false }
        settled.append(outboxID)
        facts.members.settle(event)
        return true
    }

    func forgetRejects(about message: MessageID, in thread: ThreadID) { gone.append((thread, message)) }
    func reject(_ entry: RejectedEntry, of batch: IngestBatch) { rejects.add(entry, of: batch) }

    // MARK: Parts

    /// An error of the database ends the transaction.
    func rejection(for error: any Error) -> UnstorableEvent? { nil }
    func asOne<Value>(_ body: () throws -> Value) throws -> Value { try body() }

    // MARK: The end

    /// Writes the remaining rows and commits.
    func finish(_ batches: [IngestBatch], _ flow: BatchFlow<CollectedTables>, at milliseconds: Int64) throws {
        var pipeline = Pipeline()
        pipeline.add(rows.takeCalls())
        if !rejects.isEmpty { pipeline.add(rejects.call(at: milliseconds)) }
        if !settled.isEmpty { pipeline.add(SendQueries.deleteOutbox(.ints(settled))) }
        let redactions = flow.redactions
        if !redactions.isEmpty { _ = pipeline.add(StateTransaction.insertion(of: redactions, isOverdue: true)) }
        if !gone.isEmpty {
            pipeline.add(
                SendQueries.forgetRejects(.texts(gone.map(\.thread.text)), .texts(gone.map(\.message.text))))
        }
        let threads = flow.changedThreads
        if !threads.isEmpty {
            pipeline.add(
                WriteQueries.updateThreads(
                    .texts(threads.map(\.id.text)), .optionalTexts(threads.map(\.state.epoch)),
                    .ints(threads.map(\.state.headSeq)), .ints(threads.map(\.state.headN)),
                    .ints(threads.map(\.state.headMilliseconds)),
                    .optionalInts(threads.map(\.state.lastMessageSeq))))
        }
        if !flow.journal.isEmpty {
            pipeline.add(EventQueries.insert(.int(Int64(facts.lane)), .text(EventRun.text(flow.journal.all))))
        }
        let checkpoints = batches.compactMap { batch in batch.checkpoint.map { (batch.partition, $0) } }
        pipeline.add(
            WriteQueries.setCheckpoints(
                .ints(checkpoints.map { Int64($0.0.number) }), .texts(checkpoints.map(\.1.incarnation)),
                .texts(checkpoints.map(\.1.offset))),
            Statement.commit())
        try connection.run(pipeline)
    }
}
