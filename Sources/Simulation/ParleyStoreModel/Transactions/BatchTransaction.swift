import ParleyModel
import ParleyStorage

/// The tables as a batch sees and changes them. `BatchFlow` decides; every fact is looked up when it is needed.
///
/// Owns the tables while the transaction runs, so that they are changed in place.
final class BatchTransaction: BatchTables {
    var tables: Tables
    private let context: TransactionContext
    private var cursors = PendingCursors()
    private var deleted = DeletedEpochs()
    /// The deleted messages, whose texts are removed from the rejected entries too.
    private var gone: [MessageKey] = []

    private init(_ tables: Tables, _ context: TransactionContext) {
        self.tables = tables
        self.context = context
    }

    /// Writes batches.
    /// - Returns: for each batch, one outcome per entry.
    /// - Throws: `unavailable`, without any change.
    static func write(
        _ batches: [IngestBatch], to tables: inout Tables, _ context: TransactionContext
    ) throws -> [[StoreOutcome]] {
        // Only then can a batch fail after it has changed something.
        let saved = mayFail(batches, tables) ? tables : nil
        let transaction = BatchTransaction(Tables(), context)
        swap(&tables, &transaction.tables)
        defer { swap(&tables, &transaction.tables) }
        do {
            return try transaction.write(batches)
        } catch {
            if let saved { transaction.tables = saved }
            throw error
        }
    }

    /// Whether a batch may create a direct thread whose deleted predecessor still has too many rows.
    private static func mayFail(_ batches: [IngestBatch], _ tables: Tables) -> Bool {
        guard !tables.cleanups.isEmpty else { return false }
        return batches.contains { batch in
            batch.entries.contains { entry in
                guard case .event(let event) = entry.content, event.message?.recipient != nil else { return false }
                do {
                    try tables.checkRemains(of: event.thread)
                    return false
                } catch {
                    return true
                }
            }
        }
    }

    private func write(_ batches: [IngestBatch]) throws -> [[StoreOutcome]] {
        var flow = BatchFlow(self)
        let outcomes = try batches.map { try flow.write($0) }
        writeCursors()
        if !flow.journal.isEmpty { tables.add(flow.journal, at: context.now) }
        for draft in flow.redactions { tables.addToOutbox(draft, created: 0) }
        if !gone.isEmpty {
            let gone = Set(gone)
            tables.forgetRejects { row in
                guard let thread = row.thread, let message = row.message else { return false }
                return gone.contains(MessageKey(thread: thread, message: message))
            }
        }
        for (id, state) in flow.changedThreads {
            tables.threads[id]?.epoch = state.epoch
            tables.threads[id]?.headSeq = state.headSeq
            tables.threads[id]?.headN = state.headN
            tables.threads[id]?.headMilliseconds = state.headMilliseconds
            tables.threads[id]?.lastMessageSeq = state.lastMessageSeq
        }
        for batch in batches where !batch.entries.isEmpty { tables.checkpoints[batch.partition] = batch.checkpoint }
        return outcomes
    }

    // MARK: Facts

    var assumesNew: Bool { false }

    func checkpoint(of partition: Partition) -> IngestCheckpoint? { tables.checkpoints[partition] }

    func thread(_ id: ThreadID) -> ThreadState? {
        tables.threads[id].map { row in
            ThreadState(
                epoch: row.epoch, headSeq: row.headSeq, headN: row.headN, headMilliseconds: row.headMilliseconds,
                lastMessageSeq: row.lastMessageSeq, pair: Set(row.pair.map { [$0.first.text, $0.second.text] } ?? []))
        }
    }

    func rejectReason(of entry: IngestBatch.Entry, in batch: IngestBatch) -> String? {
        let key = RejectKey(partition: batch.partition, incarnation: batch.incarnation, offset: entry.offset)
        return tables.rejectsByKey[key].map { tables.rejects[$0].reason }
    }

    func verdict(on event: LogEvent) -> EventVerdict {
        guard EventRules.allow(event) else { return .new }
        let (log, seq) = (tables.logs[event.thread], event.position.seq)
        if let one = log?.repeats[seq], one.epoch == event.position.epoch.text, one.message == event.message?.id {
            return .known(seq: one.first ?? seq)
        }
        guard let message = event.message else {
            guard let fields = EventFields(event.body) else { return .new }
            for epoch in [event.position.epoch, event.position.epoch.successor] {
                let key = ThreadLog.EventKey(logSeq: seq, epoch: epoch.text, user: fields.user, kind: fields.kind)
                if let seq = log?.seqOfEvent[key] { return .known(seq: seq) }
            }
            return .new
        }
        if let seq = log?.seqOfMessage[message.id] { return .known(seq: seq) }
        guard let key = message.sendKey else { return .new }
        return EventVerdict(message, in: event.thread, uses: tables.uses(of: key), context.contentKey)
    }

    func isTaken(_ seq: Int64, in thread: ThreadID) -> Bool { tables.logs[thread]?.isTaken(seq) == true }
    func isErased(_ user: UserID) -> Bool { tables.isErased(user) }
    func areKnown(_ users: Set<String>) -> Bool { users.allSatisfy { tables.users[UserID(trusted: $0)] != nil } }

    func isOfDeletedThread(_ event: LogEvent, _ thread: ThreadState?) -> Bool {
        guard DeletedEpochs.mustBeRead(for: event, in: thread) else { return false }
        for epoch in tables.deletedEpochs[event.thread] ?? [] { deleted.insert(epoch, of: event.thread) }
        return deleted.contains(event, in: thread)
    }

    func message(_ id: MessageID, in thread: ThreadID) -> EventEffect.Subject? {
        tables.logs[thread]?.message(id).map { row in
            EventEffect.Subject(
                seq: row.seq, isDeleted: row.deleted != nil, isErased: row.isErased || tables.isErased(row.sender))
        }
    }

    func isMissing(_ user: String, from thread: ThreadID) -> Bool {
        let user = UserID(trusted: user)
        return !tables.isMember(user, of: thread) && !tables.hasPendingLeave(of: user, from: thread)
    }

    func isSuperseded(_ query: EventEffect.SupersedingQuery, at seq: Int64, in thread: ThreadID) -> Bool {
        tables.logs[thread]?.events.contains { row in
            row.seq > seq && row.fields.kind == .reaction && row.fields.user == query.user
                && row.fields.messageID == query.message && row.fields.text == query.text
        } ?? false
    }

    /// Writes the cursors of this batch first, since all cursors are renumbered after this.
    func neighbours(of seq: Int64, in thread: ThreadID) -> Neighbours? {
        writeCursors()
        let log = tables.logs[thread] ?? ThreadLog()
        let (message, event) = (log.messageIndex(from: seq), log.eventIndex(from: seq))
        let before = [
            message > 0 ? log.messages[..<message].last?.milliseconds : nil,
            event > 0 ? log.events[..<event].last?.milliseconds : nil,
        ]
        let after = [log.messages[message...].first?.milliseconds, log.events[event...].first?.milliseconds]
        return Neighbours(
            messagesBefore: log.count(upTo: seq), earliest: before.compactMap { $0 }.max() ?? 0,
            latest: after.compactMap { $0 }.min() ?? EventRules.dates.upperBound)
    }

    // MARK: Rows

    func insert(_ event: LogEvent, _ effect: EventEffect?, isLaterUse: Bool, at place: EventPlace) -> Bool {
        let epoch = event.position.epoch.text
        if let message = event.message {
            tables.insert(
                MessageRow(
                    seq: place.seq, id: message.id, epoch: epoch, milliseconds: place.milliseconds, n: place.n,
                    sender: message.sender.id, senderName: message.sender.name,
                    clientID: isLaterUse ? nil : message.clientID, text: message.text,
                    parts: message.parts.isEmpty ? nil : MessagePart.json(message.parts), replyTo: message.replyTo,
                    isErased: message.isErased, laterClientID: isLaterUse ? message.clientID : nil),
                in: event.thread)
        } else if let fields = effect?.fields {
            tables.insert(
                EventRow(
                    seq: place.seq, logSeq: event.position.seq, epoch: epoch, milliseconds: place.milliseconds,
                    n: place.n, fields: fields),
                in: event.thread)
        }
        cursors.move(by: event, at: place)
        if case .joined(let user, _) = event.body, let entry = event.outboxID,
            tables.member(user.id, of: event.thread)?.visibleFrom == HistoryStart.pending + entry
        {
            tables.setStart(place.seq, of: user.id, in: event.thread)
        }
        return true
    }

    func carryOut(_ effect: EventEffect, at place: EventPlace, in thread: ThreadID) {
        let fields = effect.fields
        guard let seq = fields.messageSeq else { return }
        switch fields.kind {
        case .edited: tables.edit(seq, in: thread, fields.text ?? "", at: place)
        case .deleted:
            if let row = fields.messageID.flatMap({ tables.logs[thread]?.message($0) }) {
                tables.noteDeletion(of: row, in: thread, by: fields.user, at: place.milliseconds)
            }
            tables.delete(seq, in: thread, at: place.milliseconds, context.contentKey)
        case .reaction where fields.isOn == true:
            tables.logs[thread]?.react(fields.user, fields.text ?? "", to: seq)
        case .reaction: tables.logs[thread]?.unreact(fields.user, fields.text ?? "", to: seq)
        case .message, .joined, .left, .renamed, .role, .visibility: break
        }
    }

    func countUp(after seq: Int64, in thread: ThreadID) {
        tables.logs[thread]?.countUp(after: seq)
        for (user, row) in tables.members[thread] ?? [:] where row.readSeq >= seq {
            tables.members[thread]?[user]?.readN = row.readN.map { $0 + 1 }
        }
    }

    func insertRepeat(_ event: LogEvent, of first: Int64?) {
        tables.logs[event.thread, default: ThreadLog()].insertRepeat(
            RepeatRow(epoch: event.position.epoch.text, message: event.message?.id, first: first),
            at: event.position.seq)
    }

    func insertDirectThread(_ id: ThreadID, of pair: Set<String>, at milliseconds: Int64) throws {
        let users = pair.sorted().map { UserID(trusted: $0) }
        guard let first = users.first, let second = users.last else { return }
        try tables.checkRemains(of: id)
        _ = tables.insertThread(ThreadRow(id: id, pair: (first, second)))
    }

    func addMember(_ user: String, of thread: ThreadID, at place: EventPlace) {
        let user = UserID(trusted: user)
        guard tables.isPresent(user) else { return }
        tables.insertMember(
            user, of: thread,
            MemberRow(role: .member, readSeq: place.seq, readN: place.n, joined: place.milliseconds))
    }

    func moveCursor(of user: UserID, in thread: ThreadID, to seq: Int64, n: Int64) {
        cursors.move(user, in: thread, to: seq, n: n)
    }

    func moveCursor(_ mark: ReadMark, to seq: Int64, in state: ThreadState?) {
        writeCursors()
        tables.moveCursor(
            of: mark.user, in: mark.thread, to: seq, n: tables.logs[mark.thread]?.count(upTo: seq) ?? 0,
            madeAt: mark.milliseconds, now: context.now)
    }

    func settle(_ event: LogEvent, outboxID: Int64) -> Bool { tables.removeFromOutbox(outboxID) }

    func forgetRejects(about message: MessageID, in thread: ThreadID) {
        gone.append(MessageKey(thread: thread, message: message))
    }

    func reject(_ entry: RejectedEntry, of batch: IngestBatch) {
        tables.reject(
            RejectRow(
                reason: entry.reason, bytes: entry.bytes, thread: entry.thread.map { ThreadID(trusted: $0) },
                user: entry.user.map { UserID(trusted: $0) }, message: entry.message.map { MessageID(trusted: $0) }),
            RejectKey(partition: batch.partition, incarnation: batch.incarnation, offset: entry.offset))
    }

    /// Users who are not members have no cursor.
    private func writeCursors() {
        for (key, cursor) in cursors.cursors {
            guard let row = tables.member(key.user, of: key.thread), row.readSeq < cursor.seq else { continue }
            tables.members[key.thread]?[key.user]?.readSeq = cursor.seq
            tables.members[key.thread]?[key.user]?.readN = cursor.n
        }
        cursors.removeAll()
    }

    // MARK: Parts

    func rejection(for error: any Error) -> UnstorableEvent? { nil }
    /// Nothing fails after a first write, except where `write` restores the tables.
    func asOne<Value>(_ body: () throws -> Value) throws -> Value { try body() }
}
