import ParleyModel
import ParleyStorage

/// Writes batches of different partitions in one transaction.
///
/// - One round trip locks the partitions and reads the checkpoints and the threads, one writes everything; the work in
///   between is done in memory.
/// - Batches whose events all lie above the heads of their threads, as nearly all do, are assumed to be new; the unique
///   indexes detect if they are not. Then, and for any others, an additional round trip first reads what is
///   already stored.
/// - Only a late event, below the head and at a free seq, needs statements of its own.
struct BatchWriter {
    private let connection: PostgresConnection
    private let batches: [IngestBatch]
    private let now: Int64
    private var threads: [ThreadID: ThreadState] = [:]
    /// The existing users among the senders and recipients of first messages in direct threads.
    private var users: Set<String> = []
    /// `nil` while the batches are assumed to be new.
    private var before: StoredBefore?
    private var rows = PendingRows()
    private var rejects = PendingRejects()
    private var subjects: EventSubjects
    private var members: MemberSubjects
    /// The key of the digests of deleted messages.
    private let key: ContentKey?
    private var deleted = DeletedEpochs()
    /// The outbox entries of the batch's events that still exist.
    private var outbox: Set<Int64> = []
    /// The entries whose events this batch stores.
    private var relayed: [Int64] = []
    /// The deleted messages, whose texts are removed from the rejected entries too.
    private var gone: [(thread: ThreadID, message: MessageID)] = []
    /// The erased users whose data the logs of these threads still contain.
    private var late: [ThreadID: Set<UserID>] = [:]

    /// The maximum number of attempts of a transaction that conflicts with others.
    private static let attempts = 4

    /// Writes batches.
    /// - Parameters:
    ///   - milliseconds: the current time.
    ///   - key: the key of the digests of deleted messages.
    /// - Returns: for each batch, one outcome per entry.
    /// - Throws: any error of the database.
    static func write(
        _ batches: [IngestBatch], to connection: PostgresConnection, at milliseconds: Int64, _ key: ContentKey?
    ) throws -> [[StoreOutcome]] {
        guard batches.contains(where: { !$0.entries.isEmpty }) else { return batches.map { _ in [] } }
        var isAssumedNew = true
        for _ in 0..<attempts {
            do {
                var writer = BatchWriter(connection: connection, batches: batches, now: milliseconds, key)
                return try writer.write(isAssumedNew: isAssumedNew)
            } catch let error as PostgresError where error.isUniqueViolation || error.isCollision {
                if error.isUniqueViolation { isAssumedNew = false }
                guard connection.recover() else { throw error }
            }
        }
        throw StoreError.unavailable("batches conflicted with other transactions in each of \(attempts) attempts")
    }

    private init(connection: PostgresConnection, batches: [IngestBatch], now: Int64, _ key: ContentKey?) {
        self.key = key
        self.connection = connection
        self.batches = batches
        self.now = now
        subjects = EventSubjects(batches)
        members = MemberSubjects(batches)
    }

    private mutating func write(isAssumedNew: Bool) throws -> [[StoreOutcome]] {
        let known = try load()
        if !isAssumedNew || known.contains(where: { $0 > 0 }) || !isAboveHeads {
            before = try StoredBefore(batches, key, connection)
        }
        var outcomes: [[StoreOutcome]] = []
        for (batch, known) in zip(batches, known) {
            outcomes.append(
                try batch.entries.enumerated().map { index, entry in
                    try index < known ? recall(entry, of: batch) : store(entry, of: batch)
                })
        }
        let checkpoints = batches.compactMap { batch in batch.checkpoint.map { (batch.partition, $0) } }
        try connection.run(
            rows.takeCalls() + rejects.calls(at: now) + settlement + updateThreads + [
                WriteQueries.setCheckpoints(
                    .ints(checkpoints.map { Int64($0.0.number) }), .texts(checkpoints.map(\.1.incarnation)),
                    .texts(checkpoints.map(\.1.offset))),
                Statement.commit(),
            ])
        return outcomes
    }

    // MARK: Reading

    /// Begins the transaction and reads what nearly every batch needs.
    /// - Returns: for each batch, how many entries the stored checkpoint covers. Offsets are not ordered, so only a
    ///   checkpoint within the batch is found; entries of older batches are recognised by their stored events.
    private mutating func load() throws -> [Int] {
        let entries = batches.flatMap(\.entries)
        var (pairUsers, relays): (Set<String>, [Int64]) = ([], [])
        for case .event(let event) in entries.lazy.map(\.content) {
            if let id = event.outboxID { relays.append(id) }
            guard let message = event.message, let recipient = message.recipient else { continue }
            pairUsers.formUnion([message.sender.id.text, recipient.id.text])
        }
        let partitions = Parameter.ints(batches.map { Int64($0.partition.number) })
        // Locks the state of threads before their rows, in the order used by the deletion of a thread.
        var calls = [Statement.begin(), WriteQueries.planOnce(), Locks.partitions(partitions)] + members.locks
        let place = calls.count
        calls += [
            WriteQueries.checkpoints(partitions),
            WriteQueries.threads(.texts(Set(entries.compactMap(\.content.thread?.text)).sorted())),
            // Taken before erased users are read: no others are erased until this transaction ends.
            Locks.sharedErasure(),
        ]
        let first = calls.count
        calls += subjects.calls + members.calls
        if !relays.isEmpty { calls.append(SendQueries.outbox(.ints(relays))) }
        if !pairUsers.isEmpty { calls.append(WriteQueries.users(.texts(pairUsers.sorted()))) }
        let replies = try connection.run(calls)
        for (id, state) in try replies[place + 1].map({
            (ThreadID(trusted: try $0.text(0)), try ThreadState(row: $0))
        }) {
            threads[id] = state
        }
        if !pairUsers.isEmpty { users = Set(try replies[replies.count - 1].map { try $0.text(0) }) }
        let people = first + subjects.calls.count
        let next = people + members.calls.count
        try subjects.read(replies[first..<people])
        try members.read(replies[people..<next])
        if !relays.isEmpty { outbox = Set(try replies[next].map { try $0.int(0) }) }
        var concerned: Set<ThreadID> = []
        for event in entries.lazy.compactMap(\.content.anyEvent)
        where DeletedEpochs.mustBeRead(for: event, in: threads[event.thread]) {
            concerned.insert(event.thread)
        }
        try readDeletedEpochs(concerned)
        let stored = Dictionary(try replies[place].map { try IngestCheckpoint.stored($0) }) { _, last in last }
        return batches.map { $0.countCovered(by: stored[$0.partition]) }
    }

    /// - Parameter threads: those that are new or have begun another epoch.
    private mutating func readDeletedEpochs(_ threads: Set<ThreadID>) throws {
        guard !threads.isEmpty else { return }
        let call = SendQueries.deletedEpochs(.texts(threads.map(\.text).sorted()))
        for (thread, epoch) in try connection.run([call])[0].map({
            (ThreadID(trusted: try $0.text(0)), try $0.text(1))
        }) {
            deleted.insert(epoch, of: thread)
        }
    }

    /// Whether every event lies above the head of its thread and above those before it in the batch.
    private var isAboveHeads: Bool {
        var heads = threads.mapValues(\.headSeq)
        for case .event(let event) in batches.lazy.flatMap(\.entries).map(\.content) {
            guard event.position.seq > heads[event.thread, default: 0] else { return false }
            heads[event.thread] = event.position.seq
        }
        return true
    }

    // MARK: Outcomes

    /// The outcome of an entry that an earlier call has processed.
    private func recall(_ entry: IngestBatch.Entry, of batch: IngestBatch) throws -> StoreOutcome {
        if let reason = before?.rejectReason(at: entry.offset, of: batch.partition) { return .rejected(reason) }
        switch entry.content {
        case .unreadable(let reason, _), .refused(_, let reason): return .rejected(reason)
        case .readMark: return .marked
        case .event(let event):
            if deleted.contains(event, in: threads[event.thread]) { return .dropped(DeletedEpochs.reason) }
            return .repeated(seq: before?.verdict(on: event).seq ?? event.position.seq)
        }
    }

    private mutating func store(_ entry: IngestBatch.Entry, of batch: IngestBatch) throws -> StoreOutcome {
        switch entry.content {
        case .unreadable(let reason, let bytes):
            rejects.add(RejectedEntry(offset: entry.offset, reason: reason, bytes: bytes), of: batch)
            return .rejected(reason)
        case .readMark(let mark):
            move(mark)
            return .marked
        case .event(let event):
            do {
                return try store(event)
            } catch let rejection as Rejection {
                return reject(event, in: entry, of: batch, reason: rejection.reason)
            }
        case .refused(let event, let reason):
            if deleted.contains(event, in: threads[event.thread]) { return .dropped(DeletedEpochs.reason) }
            return reject(event, in: entry, of: batch, reason: reason)
        }
    }

    private mutating func reject(
        _ event: LogEvent, in entry: IngestBatch.Entry, of batch: IngestBatch, reason: String
    ) -> StoreOutcome {
        if EventRules.allow(event.position) { threads[event.thread]?.noteUsed(event.position) }
        rejects.add(
            RejectedEntry(offset: entry.offset, reason: reason, event, isErased: subjects.isErased), of: batch)
        return .rejected(reason)
    }

    private mutating func store(_ event: LogEvent) throws -> StoreOutcome {
        if deleted.contains(event, in: threads[event.thread]) {
            // The change has been announced already.
            if let id = event.outboxID { relayed.append(id) }
            return .dropped(DeletedEpochs.reason)
        }
        try EventRules.check(event)
        if case .deleted(let deletion) = event.body { gone.append((event.thread, deletion.messageID)) }
        guard var thread = threads[event.thread] else { return try storeFirst(event) }
        try thread.checkPair(of: event)
        // A repeated message does not bring back who has left since.
        if event.message?.recipient != nil, !thread.hasPairAsMembers, before?.verdict(on: event).seq == nil {
            addPair(to: &thread, at: event)
        }
        let outcome = try place(event, in: &thread)
        threads[event.thread] = thread
        return outcome
    }

    /// Stores the first event of a thread that does not exist: only a direct message creates one.
    private mutating func storeFirst(_ event: LogEvent) throws -> StoreOutcome {
        var thread = try ThreadState(begunBy: event)
        try thread.checkUsers(users.isSuperset(of: thread.pair))
        rows.add(directThread: event.thread, of: thread.pair, at: event.milliseconds)
        addPair(to: &thread, at: event)
        let outcome = try place(event, in: &thread)
        threads[event.thread] = thread
        return outcome
    }

    /// Adds the users of a direct thread who are not members; earlier messages count as read for them. A user who has
    /// left is not added by an earlier message while the `left` event is still in the outbox.
    private mutating func addPair(to thread: inout ThreadState, at event: LogEvent) {
        for user in thread.pair where members.isMissing(user, from: event.thread) {
            rows.add(
                member: user, of: event.thread,
                at: EventPlace(seq: thread.headSeq, n: thread.headN, milliseconds: event.milliseconds))
        }
        thread.hasPairAsMembers = true
    }

    /// Moves a read cursor as `markRead` does, after the batch's preceding changes to it, and never beyond the thread's
    /// end.
    private mutating func move(_ mark: ReadMark) {
        let thread = threads[mark.thread]
        if let seq = mark.seq {
            rows.add(mark, through: min(max(seq, 0), thread?.headSeq ?? 0))
        } else if let thread {
            rows.move(mark.user, in: mark.thread, to: thread.headSeq, n: thread.headN)
        }
    }

    // MARK: Places

    /// Places an event: at the end of its thread, in a gap, or nowhere because it is stored already.
    private mutating func place(_ event: LogEvent, in thread: inout ThreadState) throws -> StoreOutcome {
        let seq = event.position.seq
        let verdict = before?.verdict(on: event) ?? .new
        let isRelayed = event.outboxID.map { outbox.remove($0) != nil }
        if isRelayed == true, let id = event.outboxID {
            relayed.append(id)
            members.settle(event)
        }
        if let earlier = verdict.seq {
            if case .repeatedSend = verdict { skip(event, as: earlier, in: thread) }
            thread.noteUsed(event.position)
            return .repeated(seq: earlier)
        }
        if isRelayed == false {
            skip(event, as: nil, in: thread)
            thread.noteUsed(event.position)
            return .repeated(seq: seq)
        }
        let sent = event
        let event = subjects.withoutErased(sent)
        if subjects.hasErased, let user = sent.person, subjects.isErased(user), sent.mustBeRedacted(storedAs: event) {
            late[event.thread, default: []].insert(user)
        }
        let effect = try subjects.effect(of: event)
        let isLaterUse = verdict == .laterUse && event.message?.clientID != nil
        switch try thread.placing(of: event.position, isTaken: { before?.isTaken(seq, in: event.thread) != false }) {
        case .append(let next):
            let event = next == seq ? event : event.moved
            let place = thread.place(of: event, at: next)
            thread.append(event, at: place)
            add(event, effect, at: place, isLaterUse, in: &thread)
            return .stored(seq: next)
        case .insert:
            try insert(event, effect, isLaterUse, into: &thread)
            return .stored(seq: seq)
        }
    }

    /// Records the seq of an event whose content is stored elsewhere, so that every seq of the log is accounted for and
    /// none is used twice.
    private mutating func skip(_ event: LogEvent, as first: Int64?, in thread: ThreadState) {
        let seq = event.position.seq
        guard seq > thread.headSeq || before?.isTaken(seq, in: event.thread) == false else { return }
        rows.add(repeat: event, of: first)
        before?.noteRepeat(event, of: first ?? seq)
    }

    /// Adds the row of an event and its effect.
    private mutating func add(
        _ event: LogEvent, _ effect: EventEffect?, at place: EventPlace, _ isLaterUse: Bool, isSuperseded: Bool = false,
        in thread: inout ThreadState
    ) {
        before?.note(event, at: place.seq)
        if let message = event.message {
            rows.add(message, of: event, at: place, isLaterUse: isLaterUse)
            subjects.note(message, of: event.thread, at: place.seq)
        }
        guard let effect else { return }
        rows.add(effect.fields, of: event, at: place)
        if effect.fields.kind == .left { thread.hasPairAsMembers = false }
        guard !effect.isVoid, !isSuperseded else { return }
        rows.carryOut(effect.fields, at: place, in: event.thread)
        subjects.note(effect.fields, in: event.thread)
    }

    /// Stores a late event at a free seq below the head; message numbers and cursors after it are raised by one.
    private mutating func insert(
        _ event: LogEvent, _ effect: EventEffect?, _ isLaterUse: Bool, into thread: inout ThreadState
    ) throws {
        let (id, seq) = (Parameter.text(event.thread.text), event.position.seq)
        // The pending rows are renumbered in their tables, so they must be written first.
        let calls =
            rows.takeCalls() + [WriteQueries.neighbours(id, .int(seq), .int(EventRules.dates.upperBound))]
        guard let row = try connection.run(calls).last?.first else { return }
        let place = Neighbours(messagesBefore: try row.int(0), earliest: try row.int(1), latest: try row.int(2))
            .place(of: event, at: seq)
        if event.message != nil {
            try connection.run(WriteQueries.countUp.map { $0(id, .int(seq)) })
        }
        thread.insert(event, at: place)
        var isSuperseded = false
        if let query = effect?.supersedingQuery {
            let call = WriteQueries.hasSupersedingReaction(
                id, .int(seq), .text(query.user.text), .text(query.message?.text), .text(query.text))
            isSuperseded = try connection.run([call])[0].first?.bool(0) ?? false
        }
        add(event, effect, at: place, isLaterUse, isSuperseded: isSuperseded, in: &thread)
    }

    // MARK: Final statements

    /// Removes stored entries from the outbox and adds redactions of the log to it, and removes deleted texts from the
    /// rejected entries.
    private var settlement: [Call] {
        var calls: [Call] = []
        if !relayed.isEmpty { calls.append(SendQueries.deleteOutbox(.ints(relayed))) }
        let redactions = late.flatMap { thread, users in
            users.map { OutboxEntry.Draft(thread: thread, content: .redactUser($0)) }
        }
        if !redactions.isEmpty { calls.append(StateTransaction.insertion(of: redactions).call) }
        if !gone.isEmpty {
            calls.append(SendQueries.forgetRejects(.texts(gone.map(\.thread.text)), .texts(gone.map(\.message.text))))
        }
        return calls
    }

    private var updateThreads: [Call] {
        let changed = threads.filter(\.value.isChanged)
        guard !changed.isEmpty else { return [] }
        let (ids, states) = (changed.keys.map(\.text), Array(changed.values))
        return [
            WriteQueries.updateThreads(
                .texts(ids), .optionalTexts(states.map(\.epoch)), .ints(states.map(\.headSeq)),
                .ints(states.map(\.headN)), .ints(states.map(\.headMilliseconds)),
                .optionalInts(states.map(\.lastMessageSeq)))
        ]
    }
}

extension IngestBatch.Entry.Content {
    /// The thread of the entry; `nil` if it cannot be decoded.
    fileprivate var thread: ThreadID? {
        switch self {
        case .event(let event), .refused(let event, _): event.thread
        case .readMark(let mark): mark.thread
        case .unreadable: nil
        }
    }
}
