import Foundation
import GRDB
import ParleyModel
import ParleyStorage

/// Writes batches of different partitions, inside one transaction and on the connection's queue.
///
/// - Events are written one by one, in order; threads and cursors are collected and written once at the end.
/// - An event above the head of its thread, as nearly every one, needs one statement: its seq is certainly free, and
///   the unique indexes detect a message that is stored already.
/// - An invalid event is rejected. A failed statement has no effect, and an event with several statements uses a
///   savepoint, so that nothing of a rejected event remains and the rest of the batch proceeds.
struct BatchWriter {
    let db: Database
    /// The batch whose entries are being written.
    private var batch: IngestBatch
    private let now: Int64
    private var threads: [ThreadID: ThreadState] = [:]
    var cursors = PendingCursors()
    /// Whether users are erased, as far as queried.
    private var erased: [UserID: Bool] = [:]
    /// The erased users whose data the logs of these threads still contain.
    private var late: [ThreadID: Set<UserID>] = [:]
    /// The key of the digests of deleted messages.
    let key: ContentKey?
    private var deleted = DeletedEpochs()
    /// The threads whose deleted epochs have been read.
    private var requested: Set<ThreadID> = []

    /// Writes batches.
    /// - Parameters:
    ///   - milliseconds: the current time.
    ///   - key: the key of the digests of deleted messages.
    /// - Returns: for each batch, one outcome per entry.
    /// - Throws: any error of the database; the transaction must then be rolled back.
    static func write(
        _ batches: [IngestBatch], to db: Database, at milliseconds: Int64, _ key: ContentKey?
    ) throws -> [[StoreOutcome]] {
        guard let first = batches.first else { return [] }
        var writer = BatchWriter(db: db, batch: first, now: milliseconds, key)
        let outcomes = try batches.map { try writer.writeEntries(of: $0) }
        try writer.writeCursors()
        try writer.writeThreads()
        for batch in batches {
            guard let checkpoint = batch.checkpoint else { continue }
            try db.cachedStatement(sql: WriteQueries.setCheckpoint)
                .execute(arguments: [batch.partition.number, checkpoint.incarnation, checkpoint.offset])
        }
        return outcomes
    }

    private mutating func writeEntries(of batch: IngestBatch) throws -> [StoreOutcome] {
        self.batch = batch
        let known = try countKnownEntries()
        var outcomes: [StoreOutcome] = []
        outcomes.reserveCapacity(batch.entries.count)
        for (index, entry) in batch.entries.enumerated() {
            outcomes.append(try index < known ? recall(entry) : store(entry))
        }
        return outcomes
    }

    private init(db: Database, batch: IngestBatch, now: Int64, _ key: ContentKey?) {
        self.key = key
        self.db = db
        self.batch = batch
        self.now = now
    }

    // MARK: Replays

    /// The number of entries that the stored checkpoint covers.
    private func countKnownEntries() throws -> Int {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: WriteQueries.checkpoint), arguments: [batch.partition.number])
        return batch.countCovered(by: row.map { IngestCheckpoint(incarnation: $0[0], offset: $0[1]) })
    }

    /// The outcome of an entry that an earlier call has processed.
    private mutating func recall(_ entry: IngestBatch.Entry) throws -> StoreOutcome {
        let reason = try String.fetchOne(
            db.cachedStatement(sql: WriteQueries.rejectReason),
            arguments: [batch.partition.number, batch.incarnation, entry.offset])
        if let reason { return .rejected(reason) }
        switch entry.content {
        case .unreadable(let reason, _), .refused(_, let reason): return .rejected(reason)
        case .readMark: return .marked
        case .event(let event):
            if try isOfDeletedThread(event) { return .dropped(DeletedEpochs.reason) }
            return .repeated(seq: try verdict(on: event).seq ?? event.position.seq)
        }
    }

    // MARK: Entries

    private mutating func store(_ entry: IngestBatch.Entry) throws -> StoreOutcome {
        switch entry.content {
        case .unreadable(let reason, let bytes):
            return try reject(RejectedEntry(offset: entry.offset, reason: reason, bytes: bytes))
        case .readMark(let mark):
            try move(mark)
            return .marked
        case .event(let event):
            do {
                return try store(event)
            } catch let rejection as Rejection {
                return try reject(event, in: entry, reason: rejection.reason)
            } catch let error as DatabaseError where error.isAboutTheRow {
                return try reject(event, in: entry, reason: error.message ?? "a constraint of the schema is violated")
            }
        case .refused(let event, let reason):
            if try isOfDeletedThread(event) { return .dropped(DeletedEpochs.reason) }
            return try reject(event, in: entry, reason: reason)
        }
    }

    private mutating func store(_ event: LogEvent) throws -> StoreOutcome {
        if try isOfDeletedThread(event) {
            // The change has been announced already.
            if let id = event.outboxID {
                try db.cachedStatement(sql: SendQueries.deleteOutbox).execute(arguments: [id])
            }
            return .dropped(DeletedEpochs.reason)
        }
        try EventRules.check(event)
        if case .deleted(let deletion) = event.body {
            try db.cachedStatement(sql: SendQueries.forgetRejects)
                .execute(arguments: [event.thread.text, deletion.messageID.text])
        }
        guard var thread = try state(of: event.thread) else { return try storeFirst(event) }
        try thread.checkPair(of: event)
        // A repeated message does not bring back who has left since.
        if event.message?.recipient != nil, !thread.hasPairAsMembers, try verdict(on: event).seq == nil {
            try addPair(to: &thread, at: event)
        }
        let outcome = try place(event, in: &thread)
        threads[event.thread] = thread
        return outcome
    }

    /// Stores the first event of a thread that does not exist: only a direct message creates one.
    private mutating func storeFirst(_ event: LogEvent) throws -> StoreOutcome {
        var thread = try ThreadState(begunBy: event)
        let pair = thread.pair.sorted()
        guard let first = pair.first, let second = pair.last else { throw Rejection("unknown thread") }
        let users = try Int.fetchOne(
            db.cachedStatement(sql: WriteQueries.countUsers), arguments: [first, second])
        try thread.checkUsers(users == pair.count)

        var outcome = StoreOutcome.rejected("")
        try db.inSavepoint {
            try db.cachedStatement(sql: WriteQueries.insertDirectThread)
                .execute(arguments: [event.thread.text, first, second, event.milliseconds])
            try addPair(to: &thread, at: event)
            outcome = try place(event, in: &thread)
            return .commit
        }
        threads[event.thread] = thread
        return outcome
    }

    /// Adds the users of a direct thread who are not members; earlier messages count as read for them. A user who has
    /// left is not added by an earlier message while the `left` event is still in the outbox.
    private func addPair(to thread: inout ThreadState, at event: LogEvent) throws {
        for user in thread.pair where try !hasPendingLeave(user, of: event.thread) {
            try db.cachedStatement(sql: WriteQueries.insertMember)
                .execute(arguments: [event.thread.text, user, thread.headSeq, thread.headN, event.milliseconds])
        }
        thread.hasPairAsMembers = true
    }

    /// The event as it is stored: without personal data of erased users.
    mutating func withoutErased(_ event: LogEvent) throws -> LogEvent {
        try event.withoutErased { try isErased($0) }
    }

    /// Requests a redaction of the log if it still contains data of an erased user.
    mutating func redactLater(_ event: LogEvent, storedAs stored: LogEvent) throws {
        guard let user = event.person, event.mustBeRedacted(storedAs: stored), try isErased(user),
            late[event.thread, default: []].insert(user).inserted
        else { return }
        _ = try StateTransaction(db: db, now: now).add(
            OutboxEntry.Draft(thread: event.thread, content: .redactUser(user)))
    }

    /// Queried only for threads that are new or have begun another epoch.
    private mutating func isOfDeletedThread(_ event: LogEvent) throws -> Bool {
        let thread = try state(of: event.thread)
        guard DeletedEpochs.mustBeRead(for: event, in: thread) else { return false }
        if requested.insert(event.thread).inserted {
            let epochs = try String.fetchAll(
                db.cachedStatement(sql: SendQueries.deletedEpochs), arguments: [event.thread.text])
            for epoch in epochs { deleted.insert(epoch, of: event.thread) }
        }
        return deleted.contains(event, in: thread)
    }

    private mutating func isErased(_ user: UserID) throws -> Bool {
        if let known = erased[user] { return known }
        let isErased = try Bool.fetchOne(
            db.cachedStatement(sql: WriteQueries.isErased), arguments: [user.text])
        erased[user] = isErased ?? false
        return isErased ?? false
    }

    /// Moves a read cursor as `markRead` does, after the batch's preceding changes to it, and never beyond the thread's
    /// end.
    private mutating func move(_ mark: ReadMark) throws {
        if let seq = mark.seq {
            let seq = try min(max(seq, 0), state(of: mark.thread)?.headSeq ?? 0)
            // The table must be up to date, since the number of messages up to `seq` is read from it.
            try writeCursors()
            try writeThreads()
            try db.cachedStatement(sql: ReadQueries.markRead)
                .execute(arguments: [seq, mark.thread.text, mark.user.text, mark.milliseconds, now])
        } else if let thread = try state(of: mark.thread) {
            cursors.move(mark.user, in: mark.thread, to: thread.headSeq, n: thread.headN)
        }
    }

    // MARK: Rejected entries

    private mutating func reject(_ event: LogEvent, in entry: IngestBatch.Entry, reason: String) throws -> StoreOutcome
    {
        if EventRules.allow(event.position), var thread = try state(of: event.thread) {
            thread.noteUsed(event.position)
            threads[event.thread] = thread
        }
        return try reject(
            RejectedEntry(offset: entry.offset, reason: reason, event, isErased: { try isErased($0) }))
    }

    private func reject(_ entry: RejectedEntry) throws -> StoreOutcome {
        try db.cachedStatement(sql: WriteQueries.reject)
            .execute(
                arguments: [
                    batch.partition.number, batch.incarnation, entry.offset, entry.reason, Data(entry.bytes), now,
                    entry.thread, entry.user, entry.message,
                ])
        return .rejected(entry.reason)
    }

    // MARK: Threads

    /// The current state of a thread; `nil` if it is unknown.
    private mutating func state(of id: ThreadID) throws -> ThreadState? {
        if let thread = threads[id] { return thread }
        let row = try Row.fetchOne(db.cachedStatement(sql: WriteQueries.thread), arguments: [id.text])
        guard let row else { return nil }
        let thread = ThreadState(row: row)
        threads[id] = thread
        return thread
    }

    /// Users who are not members have no cursor.
    mutating func writeCursors() throws {
        for (key, cursor) in cursors.cursors {
            try db.cachedStatement(sql: WriteQueries.advanceCursor)
                .execute(arguments: [cursor.seq, cursor.n, key.thread.text, key.user.text])
        }
        cursors.removeAll()
    }

    private func writeThreads() throws {
        for (id, thread) in threads where thread.isChanged {
            try db.cachedStatement(sql: WriteQueries.updateThread)
                .execute(
                    arguments: [
                        thread.epoch, thread.headSeq, thread.headN, thread.headMilliseconds, thread.lastMessageSeq,
                        id.text,
                    ])
        }
    }
}
