import Foundation
import GRDB
import ParleyModel

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

    /// - Parameter milliseconds: now.
    /// - Returns: one outcome for each entry.
    /// - Throws: whatever is wrong with the database; the transaction must then be rolled back.
    static func write(_ batch: IngestBatch, to db: Database, at milliseconds: Int64) throws -> [StoreOutcome] {
        guard let checkpoint = batch.checkpoint else { return [] }
        var writer = BatchWriter(db: db, batch: batch, now: milliseconds)
        let known = try writer.countKnownEntries()
        var outcomes: [StoreOutcome] = []
        outcomes.reserveCapacity(batch.entries.count)
        for (index, entry) in batch.entries.enumerated() {
            outcomes.append(try index < known ? writer.recall(entry) : writer.store(entry))
        }
        try writer.cursors.write(to: db)
        try writer.writeThreads()
        try db.cachedStatement(sql: WriteQueries.setCheckpoint)
            .execute(arguments: [batch.partition.number, checkpoint.incarnation, checkpoint.offset])
        return outcomes
    }

    private init(db: Database, batch: IngestBatch, now: Int64) {
        self.db = db
        self.batch = batch
        self.now = now
    }

    // MARK: Replays

    /// How many entries the stored checkpoint covers.
    ///
    /// Offsets cannot be compared, so this only sees a checkpoint that lies in the batch. Older batches are recognised
    /// by their events being there.
    private func countKnownEntries() throws -> Int {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: WriteQueries.checkpoint), arguments: [batch.partition.number])
        guard let row, row[0] == batch.incarnation else { return 0 }
        let offset: String = row[1]
        return (batch.entries.lastIndex { $0.offset == offset } ?? -1) + 1
    }

    /// What became of an entry that an earlier call has dealt with.
    private func recall(_ entry: IngestBatch.Entry) throws -> StoreOutcome {
        let reason = try String.fetchOne(
            db.cachedStatement(sql: WriteQueries.rejectReason),
            arguments: [batch.partition.number, batch.incarnation, entry.offset])
        if let reason { return .rejected(reason) }
        switch entry.content {
        case .unreadable(let reason, _): return .rejected(reason)
        case .readMark: return .marked
        case .event(let event):
            do {
                return .repeated(seq: try seqOfStored(event) ?? event.position.seq)
            } catch let poison as Poison {
                return .rejected(poison.reason)
            }
        }
    }

    // MARK: One entry

    private mutating func store(_ entry: IngestBatch.Entry) throws -> StoreOutcome {
        switch entry.content {
        case .unreadable(let reason, let bytes):
            return try reject(entry, reason: reason, bytes: bytes)
        case .readMark(let mark):
            try move(mark)
            return .marked
        case .event(let event):
            do {
                return try store(event)
            } catch let poison as Poison {
                return try reject(event, in: entry, reason: poison.reason)
            } catch let error as DatabaseError where error.isAboutTheRow {
                return try reject(event, in: entry, reason: error.message ?? "the schema cannot hold it")
            }
        }
    }

    private mutating func store(_ event: LogEvent) throws -> StoreOutcome {
        try EventRules.check(event)
        guard var thread = try state(of: event.thread) else { return try storeFirst(event) }
        if let message = event.message, let recipient = message.recipient {
            guard thread.pair == [message.sender.id.text, recipient.id.text] else {
                throw Poison("the thread is not the direct thread of sender and recipient")
            }
            try addPair(to: &thread, at: event)
        }
        let outcome = try place(event, in: &thread)
        threads[event.thread] = thread
        return outcome
    }

    /// The first event of a thread that is not there: only a direct message makes one.
    private mutating func storeFirst(_ event: LogEvent) throws -> StoreOutcome {
        guard let message = event.message, let recipient = message.recipient else { throw Poison("unknown thread") }
        let sender = message.sender
        guard event.thread == ThreadInfo.directID(sender.id, recipient.id) else {
            throw Poison("the thread is not the direct thread of sender and recipient")
        }
        let pair = Set([sender.id.text, recipient.id.text])
        let users = try Int.fetchOne(
            db.cachedStatement(sql: WriteQueries.countUsers), arguments: [sender.id.text, recipient.id.text])
        guard users == pair.count else { throw Poison("sender or recipient of a direct message is unknown") }

        var thread = ThreadState(pair: pair)
        var outcome = StoreOutcome.rejected("")
        try db.inSavepoint {
            let (first, second) = (min(sender.id.text, recipient.id.text), max(sender.id.text, recipient.id.text))
            try db.cachedStatement(sql: WriteQueries.insertDirectThread)
                .execute(arguments: [event.thread.text, first, second, event.milliseconds])
            try addPair(to: &thread, at: event)
            outcome = try place(event, in: &thread)
            return .commit
        }
        threads[event.thread] = thread
        return outcome
    }

    /// Both of a direct thread become members if they are not; what was said so far counts as read.
    private func addPair(to thread: inout ThreadState, at event: LogEvent) throws {
        guard !thread.hasPairAsMembers else { return }
        for user in thread.pair {
            try db.cachedStatement(sql: WriteQueries.insertMember)
                .execute(arguments: [event.thread.text, user, thread.headSeq, thread.headN, event.milliseconds])
        }
        thread.hasPairAsMembers = true
    }

    /// The event as it is stored: of an erased user, nothing that tells of a person.
    mutating func withoutErased(_ event: LogEvent) throws -> LogEvent {
        var event = event
        switch event.body {
        case .message(let message):
            if try isErased(message.sender.id) { event.body = .message(message.erased) }
        case .joined(let user, let by):
            if try isErased(user.id) { event.body = .joined(.erased(user.id), by: by) }
        case .left(let user, let by):
            if try isErased(user.id) { event.body = .left(.erased(user.id), by: by) }
        case .edited, .deleted, .reaction, .renamed, .role: break
        }
        return event
    }

    private mutating func isErased(_ user: UserID) throws -> Bool {
        if let known = erased[user] { return known }
        let isErased = try Bool.fetchOne(
            db.cachedStatement(sql: WriteQueries.isErased), arguments: [user.text])
        erased[user] = isErased ?? false
        return isErased ?? false
    }

    /// Moves a read cursor as `markRead` does, past what the batch holds before the mark.
    private mutating func move(_ mark: ReadMark) throws {
        if let seq = mark.seq {
            // The table is asked how many messages there are up to `seq`.
            try cursors.write(to: db)
            try writeThreads()
            try db.cachedStatement(sql: ReadQueries.markRead)
                .execute(arguments: [max(seq, 0), mark.thread.text, mark.user.text])
        } else if let thread = try state(of: mark.thread) {
            cursors.move(mark.user, in: mark.thread, to: thread.headSeq, n: thread.headN)
        }
    }

    // MARK: Rejects

    private mutating func reject(_ event: LogEvent, in entry: IngestBatch.Entry, reason: String) throws -> StoreOutcome
    {
        if EventRules.seqs.contains(event.position.seq), var thread = try state(of: event.thread) {
            thread.noteUsed(event.position)
            threads[event.thread] = thread
        }
        return try reject(entry, reason: reason, bytes: Array(event.report.canonical.utf8))
    }

    private func reject(_ entry: IngestBatch.Entry, reason: String, bytes: [UInt8]) throws -> StoreOutcome {
        try db.cachedStatement(sql: WriteQueries.reject)
            .execute(
                arguments: [
                    batch.partition.number, batch.incarnation, entry.offset, reason, Data(bytes), now,
                ])
        return .rejected(reason)
    }

    // MARK: Threads

    /// The thread as it is now; `nil` if it is unknown.
    private mutating func state(of id: ThreadID) throws -> ThreadState? {
        if let thread = threads[id] { return thread }
        let row = try Row.fetchOne(db.cachedStatement(sql: WriteQueries.thread), arguments: [id.text])
        guard let row else { return nil }
        let thread = ThreadState(row)
        threads[id] = thread
        return thread
    }

    private func writeThreads() throws {
        for (id, thread) in threads {
            try db.cachedStatement(sql: WriteQueries.updateThread)
                .execute(
                    arguments: [
                        thread.epoch, thread.headSeq, thread.headN, thread.headMilliseconds, thread.lastMessageSeq,
                        id.text,
                    ])
        }
    }
}
