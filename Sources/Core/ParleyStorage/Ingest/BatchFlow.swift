package import ParleyModel

/// Decides what becomes of each entry of the batches of one transaction: stored, recognised as stored, dropped or
/// rejected. The same for every store, which looks up facts and writes rows (`BatchTables`).
///
/// Entries are decided one by one, in order. An invalid event is rejected, and the rest of the batch continues.
package struct BatchFlow<Tables: BatchTables> {
    private let tables: Tables
    private var threads: [ThreadID: ThreadState] = [:]
    /// The threads that have been looked up and do not exist.
    private var unknown: Set<ThreadID> = []
    /// The erased users whose data the logs of these threads still contain.
    private var late: [ThreadID: Set<UserID>] = [:]
    /// The events that the transaction stores.
    package private(set) var journal = EventJournal()

    package init(_ tables: Tables) {
        self.tables = tables
    }

    /// The threads whose state must be written.
    package var changedThreads: [(id: ThreadID, state: ThreadState)] {
        threads.filter(\.value.isChanged).map { (id: $0.key, state: $0.value) }
    }

    /// The new entries of the outbox, which have logs redacted, in the order of threads and users. Only persisters relay
    /// them.
    package var redactions: [OutboxEntry.Draft] {
        late.sorted { $0.key.text < $1.key.text }.flatMap { thread, users in
            users.sorted { $0.text < $1.text }.map { OutboxEntry.Draft(thread: thread, content: .redactUser($0)) }
        }
    }

    /// Writes the entries of a batch.
    /// - Returns: one outcome per entry.
    package mutating func write(_ batch: IngestBatch) throws -> [StoreOutcome] {
        let known = batch.countCovered(by: try tables.checkpoint(of: batch.partition))
        var outcomes: [StoreOutcome] = []
        outcomes.reserveCapacity(batch.entries.count)
        for (index, entry) in batch.entries.enumerated() {
            outcomes.append(try index < known ? recall(entry, of: batch) : store(entry, of: batch))
        }
        return outcomes
    }

    private mutating func state(of id: ThreadID) throws -> ThreadState? {
        if let thread = threads[id] { return thread }
        guard !unknown.contains(id) else { return nil }
        let thread = try tables.thread(id)
        threads[id] = thread
        if thread == nil { unknown.insert(id) }
        return thread
    }

    // MARK: Entries

    /// The outcome of an entry that an earlier call has processed.
    private mutating func recall(_ entry: IngestBatch.Entry, of batch: IngestBatch) throws -> StoreOutcome {
        if let reason = try tables.rejectReason(of: entry, in: batch) { return .rejected(reason) }
        switch entry.content {
        case .unreadable(let reason, _), .refused(_, let reason): return .rejected(reason)
        case .readMark: return .marked
        case .event(let event):
            if try isOfDeletedThread(event) { return .dropped(DeletedEpochs.reason) }
            return .repeated(seq: try tables.verdict(on: event).seq ?? event.position.seq)
        }
    }

    private mutating func store(_ entry: IngestBatch.Entry, of batch: IngestBatch) throws -> StoreOutcome {
        switch entry.content {
        case .unreadable(let reason, let bytes):
            try tables.reject(RejectedEntry(offset: entry.offset, reason: reason, bytes: bytes), of: batch)
            return .rejected(reason)
        case .readMark(let mark):
            try move(mark)
            return .marked
        case .event(let event):
            do {
                return try store(event)
            } catch {
                guard let rejection = error as? UnstorableEvent ?? tables.rejection(for: error) else { throw error }
                return try reject(event, in: entry, of: batch, reason: rejection.reason)
            }
        case .refused(let event, let reason):
            if try isOfDeletedThread(event) { return .dropped(DeletedEpochs.reason) }
            return try reject(event, in: entry, of: batch, reason: reason)
        }
    }

    private mutating func reject(
        _ event: LogEvent, in entry: IngestBatch.Entry, of batch: IngestBatch, reason: String
    ) throws -> StoreOutcome {
        if EventRules.allow(event.position), var thread = try state(of: event.thread) {
            thread.noteUsed(event.position)
            threads[event.thread] = thread
        }
        try tables.reject(
            RejectedEntry(offset: entry.offset, reason: reason, event, isErased: tables.isErased), of: batch)
        return .rejected(reason)
    }

    private mutating func isOfDeletedThread(_ event: LogEvent) throws -> Bool {
        let thread = try state(of: event.thread)
        return try tables.isOfDeletedThread(event, thread)
    }

    /// Moves a read cursor as `markRead` does, after the batch's preceding changes to it, and never beyond the thread's
    /// end.
    private mutating func move(_ mark: ReadMark) throws {
        let thread = try state(of: mark.thread)
        if let seq = mark.seq {
            try tables.moveCursor(mark, to: min(max(seq, 0), thread?.headSeq ?? 0), in: thread)
        } else if let thread {
            try tables.moveCursor(of: mark.user, in: mark.thread, to: thread.headSeq, n: thread.headN)
        }
    }

    // MARK: Events

    private mutating func store(_ event: LogEvent) throws -> StoreOutcome {
        if try isOfDeletedThread(event) {
            // The change has been announced already.
            if let id = event.outboxID { _ = try tables.settle(event, outboxID: id) }
            return .dropped(DeletedEpochs.reason)
        }
        try EventRules.check(event)
        if case .deleted(let deletion) = event.body {
            try tables.forgetRejects(about: deletion.messageID, in: event.thread)
        }
        guard var thread = try state(of: event.thread) else { return try storeFirst(event) }
        if event.message?.recipient != nil {
            try thread.checkPair(of: event)
            // A repeated message does not bring back who has left since.
            if !thread.hasPairAsMembers, try tables.verdict(on: event).seq == nil {
                try addPair(to: &thread, at: event)
            }
        }
        let outcome = try place(event, in: &thread)
        threads[event.thread] = thread
        return outcome
    }

    /// Stores the first event of a thread that does not exist: only a direct message creates one.
    private mutating func storeFirst(_ event: LogEvent) throws -> StoreOutcome {
        var thread = try ThreadState(begunBy: event)
        try thread.checkUsers(tables.areKnown(thread.pair))
        let tables = tables
        let outcome = try tables.asOne {
            try tables.insertDirectThread(event.thread, of: thread.pair, at: event.milliseconds)
            try addPair(to: &thread, at: event)
            return try place(event, in: &thread)
        }
        threads[event.thread] = thread
        return outcome
    }

    /// Adds the users of a direct thread who are not members; earlier messages count as read for them. A user who has
    /// left is not added by an earlier message while the `left` event is still in the outbox.
    private func addPair(to thread: inout ThreadState, at event: LogEvent) throws {
        let end = EventPlace(seq: thread.headSeq, n: thread.headN, milliseconds: event.milliseconds)
        for user in thread.pair where try tables.isMissing(user, from: event.thread) {
            try tables.addMember(user, of: event.thread, at: end)
        }
        thread.hasPairAsMembers = true
    }

    // MARK: Places

    /// Places an event: at the end of its thread, in a gap, or nowhere because it is stored already.
    private mutating func place(_ sent: LogEvent, in thread: inout ThreadState) throws -> StoreOutcome {
        let seq = sent.position.seq
        let isRelayed = try sent.outboxID.map { try tables.settle(sent, outboxID: $0) }
        var event = sent
        if let user = sent.person, try tables.isErased(user) {
            event = sent.withoutPerson
            if sent.mustBeRedacted(storedAs: event) { late[sent.thread, default: []].insert(user) }
        }
        // Nearly every event is new and needs no look-up.
        if tables.assumesNew, isRelayed == nil, seq > thread.headSeq, !thread.hasEnded(event.position.epoch),
            try append(
                event, event.message == nil ? effect(of: event) : nil, isLaterUse: false, to: &thread, at: seq)
        {
            return .stored(seq: seq)
        }
        let verdict = try tables.verdict(on: sent)
        if let earlier = verdict.seq {
            if case .repeatedSend = verdict { try skip(sent, as: earlier, in: thread) }
            thread.noteUsed(sent.position)
            return .repeated(seq: earlier)
        }
        if isRelayed == false {
            try skip(sent, as: nil, in: thread)
            thread.noteUsed(sent.position)
            return .repeated(seq: seq)
        }
        let effect = try effect(of: event)
        let isLaterUse = verdict == .laterUse && event.message?.clientID != nil
        switch try thread.placing(of: event.position, isTaken: { try tables.isTaken(seq, in: event.thread) }) {
        case .append(let next):
            let event = next == seq ? event : event.moved
            guard try append(event, effect, isLaterUse: isLaterUse, to: &thread, at: next) else {
                throw UnstorableEvent("a constraint of the schema is violated")
            }
            return .stored(seq: next)
        case .insert:
            try insert(event, effect, isLaterUse: isLaterUse, into: &thread)
            return .stored(seq: seq)
        }
    }

    /// The effect of an event on the other tables; `nil` for a message.
    private func effect(of event: LogEvent) throws -> EventEffect? {
        try EventEffect(of: event) { try tables.message($0, in: event.thread) }
    }

    /// Records the seq of an event whose content is stored elsewhere, so that every seq of the log is accounted for and
    /// none is used twice.
    private func skip(_ event: LogEvent, as first: Int64?, in thread: ThreadState) throws {
        let seq = event.position.seq
        guard try seq > thread.headSeq || !tables.isTaken(seq, in: event.thread) else { return }
        try tables.insertRepeat(event, of: first)
    }

    /// Stores an event above the head.
    /// - Returns: `false` if it is stored already.
    private mutating func append(
        _ event: LogEvent, _ effect: EventEffect?, isLaterUse: Bool, to thread: inout ThreadState, at seq: Int64
    ) throws -> Bool {
        let place = thread.place(of: event, at: seq)
        guard try tables.insert(event, effect, isLaterUse: isLaterUse, at: place) else { return false }
        thread.append(event, at: place)
        journal.add(event, at: seq)
        if let effect { try carryOut(effect, at: place, in: event.thread, &thread) }
        return true
    }

    /// Stores a late event at a free seq below the head; message numbers and cursors after it are raised by one.
    private mutating func insert(
        _ event: LogEvent, _ effect: EventEffect?, isLaterUse: Bool, into thread: inout ThreadState
    ) throws {
        let seq = event.position.seq
        guard let place = try tables.neighbours(of: seq, in: event.thread)?.place(of: event, at: seq) else { return }
        _ = try tables.insert(event, effect, isLaterUse: isLaterUse, at: place)
        if event.message != nil { try tables.countUp(after: seq, in: event.thread) }
        thread.insert(event, at: place)
        journal.add(event, at: seq)
        guard let effect else { return }
        if let query = effect.supersedingQuery, try tables.isSuperseded(query, at: seq, in: event.thread) { return }
        try carryOut(effect, at: place, in: event.thread, &thread)
    }

    private func carryOut(
        _ effect: EventEffect, at place: EventPlace, in id: ThreadID, _ thread: inout ThreadState
    ) throws {
        if effect.fields.kind == .left { thread.hasPairAsMembers = false }
        if !effect.isVoid { try tables.carryOut(effect, at: place, in: id) }
    }
}
