import GRDB
import ParleyModel
import ParleyStorage

/// The tables as a batch sees them. Each fact is queried when it is needed. Nearly every event is above the head of its
/// thread, and needs only one statement: its seq is free, and the unique indexes detect a message that is already
/// stored.
final class DirectTables: BatchTables {
    let db: Database
    let now: Int64
    /// The key for the digests of deleted messages.
    private let key: ContentKey?
    var cursors = PendingCursors()
    /// Whether each user that was queried is erased.
    private var erased: [UserID: Bool] = [:]
    private var deleted = DeletedEpochs()
    /// The threads whose deleted epochs were read.
    private var requested: Set<ThreadID> = []

    init(db: Database, now: Int64, _ key: ContentKey?) {
        self.db = db
        self.now = now
        self.key = key
    }

    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try db.run(sql, arguments)
    }

    private func row(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
        try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
    }

    private func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ sql: String, _ arguments: StatementArguments
    ) throws -> Value? {
        try Value.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
    }

    // MARK: Facts

    var assumesNew: Bool { true }

    func checkpoint(of partition: Partition) throws -> IngestCheckpoint? {
        try row(WriteQueries.checkpoint, [partition.number])
            .map { IngestCheckpoint(incarnation: $0[0], offset: $0[1]) }
    }

    func thread(_ id: ThreadID) throws -> ThreadState? {
        try row(WriteQueries.thread, [id.text]).map { ThreadState(row: $0) }
    }

    func rejectReason(of entry: IngestBatch.Entry, in batch: IngestBatch) throws -> String? {
        try value(WriteQueries.rejectReason, [batch.partition.number, batch.incarnation, entry.offset])
    }

    func verdict(on event: LogEvent) throws -> EventVerdict {
        let (thread, own) = (event.thread.text, event.position.seq)
        let skipped: Int64? = try value(
            SendQueries.repeat, [thread, own, event.position.epoch.text, event.message?.id.text])
        if let skipped { return .known(seq: skipped) }
        if let key = StoredKey(event) {
            // A moved event is stored in the successor of its epoch, whose own events have higher seqs.
            for key in [key, key.moved] {
                let seq: Int64? = try value(
                    WriteQueries.seqOfEvent, [thread, own, key.epoch, key.kind.rawValue, key.user])
                if let seq { return .known(seq: seq) }
            }
            return .new
        }
        guard let message = event.message else { return .new }
        let seq: Int64? = try value(WriteQueries.seqOfMessage, [thread, message.id.text])
        if let seq { return .known(seq: seq) }
        guard let name = message.sendKey else { return .new }
        return EventVerdict(message, in: event.thread, uses: try StoredUse.all(of: name, in: db), key)
    }

    func isTaken(_ seq: Int64, in thread: ThreadID) throws -> Bool {
        try value(WriteQueries.isSeqTaken, [thread.text, seq]) ?? false
    }

    func isErased(_ user: UserID) throws -> Bool {
        if let known = erased[user] { return known }
        let isErased: Bool = try value(WriteQueries.isErased, [user.text]) ?? false
        erased[user] = isErased
        return isErased
    }

    func areKnown(_ users: Set<String>) throws -> Bool {
        let pair = users.sorted()
        let count: Int? = try value(WriteQueries.countUsers, [pair.first, pair.last])
        return count == users.count
    }

    /// Only queries threads that are new or have begun another epoch.
    func isOfDeletedThread(_ event: LogEvent, _ thread: ThreadState?) throws -> Bool {
        guard DeletedEpochs.mustBeRead(for: event, in: thread) else { return false }
        if requested.insert(event.thread).inserted {
            let epochs = try String.fetchAll(
                db.cachedStatement(sql: SendQueries.deletedEpochs), arguments: [event.thread.text])
            for epoch in epochs { deleted.insert(epoch, of: event.thread) }
        }
        return deleted.contains(event, in: thread)
    }

    func message(_ id: MessageID, in thread: ThreadID) throws -> EventEffect.Subject? {
        try row(WriteQueries.messageOfEvent, [thread.text, id.text])
            .map { EventEffect.Subject(seq: $0[0], isDeleted: $0[1], isErased: $0[2]) }
    }

    func isMissing(_ user: String, from thread: ThreadID) throws -> Bool {
        try value(SendQueries.hasPendingLeave, [thread.text, user]) != true
    }

    func isSuperseded(
        _ query: EventEffect.SupersedingQuery, at seq: Int64, in thread: ThreadID
    ) throws -> Bool {
        try value(
            WriteQueries.hasSupersedingReaction,
            [thread.text, seq, query.user.text, query.message?.text, query.text]) ?? false
    }

    /// Writes the cursors of this batch first, since all cursors are renumbered in their table afterwards.
    func neighbours(of seq: Int64, in thread: ThreadID) throws -> Neighbours? {
        try writeCursors()
        return try row(WriteQueries.neighbours, [thread.text, seq, EventRules.dates.upperBound])
            .map { Neighbours(messagesBefore: $0[0], earliest: $0[1], latest: $0[2]) }
    }

    // MARK: Parts

    func rejection(for error: any Error) -> UnstorableEvent? {
        guard let error = error as? DatabaseError, error.isAboutTheRow else { return nil }
        return UnstorableEvent(error.message ?? "a constraint of the schema is violated")
    }

    /// Runs several statements in a savepoint. A single statement needs none, since it has no effect if it fails.
    func asOne<Value>(_ body: () throws -> Value) throws -> Value {
        var value: Value?
        try db.inSavepoint {
            value = try body()
            return .commit
        }
        guard let value else { throw StoreError.failed("a savepoint was not executed") }
        return value
    }
}
