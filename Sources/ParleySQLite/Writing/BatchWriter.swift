import Foundation
import GRDB
import ParleyModel
import ParleyStorage

/// Writes one batch, inside one transaction and on the connection's queue.
///
/// - Events go in one by one, in order; threads and cursors are gathered and written once at the end.
/// - An event above the head of its thread, which is nearly every one, costs one statement: its seq is free for
///   certain, and the unique indexes find out whether the message is there already.
/// - An event at fault is set aside. A failed statement undoes itself alone, and where an event needs several, they are
///   in a savepoint, so that nothing of a reject remains and the rest of the batch goes on.
struct BatchWriter {
    let db: Database
    private let batch: IngestBatch
    private let now: Int64
    private var threads: [ThreadID: ThreadState] = [:]
    var cursors = PendingCursors()
    /// Whether users are erased, as far as it was asked.
    private var erased: [UserID: Bool] = [:]
    /// Of whom the logs of these threads are to be rid.
    private var late: [ThreadID: Set<UserID>] = [:]
    /// Of the digests of messages that are gone.
    let key: ContentKey?
    private var deleted = DeletedEpochs()
    /// Threads whose deleted epochs have been asked for.
    private var requested: Set<ThreadID> = []

    /// - Parameters:
    ///   - milliseconds: now.
    ///   - key: of the digests of messages that are gone.
    /// - Returns: one outcome for each entry.
    /// - Throws: whatever is wrong with the database; the transaction must then be rolled back.
    static func write(
        _ batch: IngestBatch, to db: Database, at milliseconds: Int64, _ key: ContentKey?
    ) throws -> [StoreOutcome] {
        guard let checkpoint = batch.checkpoint else { return [] }
        var writer = BatchWriter(db: db, batch: batch, now: milliseconds, key)
        let known = try writer.countKnownEntries()
        var outcomes: [StoreOutcome] = []
        outcomes.reserveCapacity(batch.entries.count)
        for (index, entry) in batch.entries.enumerated() {
            outcomes.append(try index < known ? writer.recall(entry) : writer.store(entry))
        }
        try writer.writeCursors()
        try writer.writeThreads()
        try db.cachedStatement(sql: WriteQueries.setCheckpoint)
            .execute(arguments: [batch.partition.number, checkpoint.incarnation, checkpoint.offset])
        return outcomes
    }

    private init(db: Database, batch: IngestBatch, now: Int64, _ key: ContentKey?) {
        self.key = key
        self.db = db
        self.batch = batch
        self.now = now
    }

    // MARK: Replays

    /// How many entries the stored checkpoint covers.
    private func countKnownEntries() throws -> Int {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: WriteQueries.checkpoint), arguments: [batch.partition.number])
        return batch.countCovered(by: row.map { IngestCheckpoint(incarnation: $0[0], offset: $0[1]) })
    }

    /// What became of an entry that an earlier call has dealt with.
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

    // MARK: One entry

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
                return try reject(event, in: entry, reason: error.message ?? "the schema cannot hold it")
            }
        case .refused(let event, let reason):
            if try isOfDeletedThread(event) { return .dropped(DeletedEpochs.reason) }
            return try reject(event, in: entry, reason: reason)
        }
    }

    private mutating func store(_ event: LogEvent) throws -> StoreOutcome {
        if try isOfDeletedThread(event) {
            // Nothing is to be told of the change any more.
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
        if event.message?.recipient != nil { try addPair(to: &thread, at: event) }
        let outcome = try place(event, in: &thread)
        threads[event.thread] = thread
        return outcome
    }

    /// The first event of a thread that is not there: only a direct message makes one.
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

    /// Both of a direct thread become members if they are not; what was said so far counts as read. Who has left is not
    /// brought back by what was said before, as long as the log is still to be told.
    private func addPair(to thread: inout ThreadState, at event: LogEvent) throws {
        guard !thread.hasPairAsMembers else { return }
        for user in thread.pair
        where try !pendingAnnouncements(about: user, in: event.thread).isOut(user, of: event.thread) {
            try db.cachedStatement(sql: WriteQueries.insertMember)
                .execute(arguments: [event.thread.text, user, thread.headSeq, thread.headN, event.milliseconds])
        }
        thread.hasPairAsMembers = true
    }

    /// The event as it is stored: of an erased user, nothing that tells of a person.
    mutating func withoutErased(_ event: LogEvent) throws -> LogEvent {
        try event.withoutErased { try isErased($0) }
    }

    /// The log still holds what an erased user had on the way: it is to be rid of it.
    mutating func redactLater(_ event: LogEvent, storedAs stored: LogEvent) throws {
        guard let user = event.person, event.mustBeRedacted(storedAs: stored), try isErased(user),
            late[event.thread, default: []].insert(user).inserted
        else { return }
        _ = try StateTransaction(db: db, now: now).tell(event.thread, .redactUser(user))
    }

    /// It is asked only for threads that are new, or have begun another epoch.
    private mutating func isOfDeletedThread(_ event: LogEvent) throws -> Bool {
        let thread = try state(of: event.thread)
        guard DeletedEpochs.concern(event, in: thread) else { return false }
        if requested.insert(event.thread).inserted {
            let epochs = try String.fetchAll(
                db.cachedStatement(sql: SendQueries.deletedEpochs), arguments: [event.thread.text])
            for epoch in epochs { deleted.insert(epoch, of: event.thread) }
        }
        return deleted.cover(event, in: thread)
    }

    private mutating func isErased(_ user: UserID) throws -> Bool {
        if let known = erased[user] { return known }
        let isErased = try Bool.fetchOne(
            db.cachedStatement(sql: WriteQueries.isErased), arguments: [user.text])
        erased[user] = isErased ?? false
        return isErased ?? false
    }

    /// Moves a read cursor as `markRead` does, past what the batch holds before the mark, and no further: nodes of the
    /// version before put marks into the stream as their clients sent them.
    private mutating func move(_ mark: ReadMark) throws {
        if let seq = mark.seq {
            let seq = try min(max(seq, 0), state(of: mark.thread)?.headSeq ?? 0)
            // The table is asked how many messages there are up to `seq`.
            try writeCursors()
            try writeThreads()
            try db.cachedStatement(sql: ReadQueries.markRead)
                .execute(arguments: [seq, mark.thread.text, mark.user.text, mark.milliseconds, now])
        } else if let thread = try state(of: mark.thread) {
            cursors.move(mark.user, in: mark.thread, to: thread.headSeq, n: thread.headN)
        }
    }

    // MARK: Rejects

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

    /// The thread as it is now; `nil` if it is unknown.
    private mutating func state(of id: ThreadID) throws -> ThreadState? {
        if let thread = threads[id] { return thread }
        let row = try Row.fetchOne(db.cachedStatement(sql: WriteQueries.thread), arguments: [id.text])
        guard let row else { return nil }
        let thread = ThreadState(row: row)
        threads[id] = thread
        return thread
    }

    /// Users who are no members have no cursor.
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
