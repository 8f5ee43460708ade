import ParleyModel

/// Writes one batch in one transaction.
///
/// - One round trip takes the partition's lock and reads the checkpoint and the threads, one writes everything; what
///   happens between them happens here, in memory.
/// - A batch whose events all lie above the heads of their threads, which is nearly every one, is taken to be new: the
///   unique indexes say if it is not. Then, and for any other batch, a third trip first asks what is stored already.
/// - Only an event that comes late, below the head and at a free seq, costs statements of its own.
struct BatchWriter {
    private let connection: PostgresConnection
    private let batch: IngestBatch
    private let now: Int64
    private var threads: [ThreadID: ThreadState] = [:]
    /// Users who write or receive the first message of a direct thread and exist.
    private var users: Set<String> = []
    /// `nil` while the batch is taken to be new.
    private var before: StoredBefore?
    private var rows = PendingRows()
    private var rejects = PendingRejects()
    private var subjects: EventSubjects

    /// A transaction that meets others is tried again this often in all.
    private static let attempts = 4

    /// - Parameter milliseconds: now.
    /// - Returns: one outcome for each entry.
    /// - Throws: whatever is wrong with the database.
    static func write(
        _ batch: IngestBatch, to connection: PostgresConnection, at milliseconds: Int64
    ) throws -> [StoreOutcome] {
        guard let checkpoint = batch.checkpoint else { return [] }
        var isTakenToBeNew = true
        for _ in 0..<attempts {
            do {
                var writer = BatchWriter(connection: connection, batch: batch, now: milliseconds)
                return try writer.write(checkpoint, isTakenToBeNew: isTakenToBeNew)
            } catch let error as PostgresError where error.isUniqueViolation || error.isCollision {
                if error.isUniqueViolation { isTakenToBeNew = false }
                guard connection.recover() else { throw error }
            }
        }
        throw StoreError.unavailable("a batch met others in each of \(attempts) attempts")
    }

    private init(connection: PostgresConnection, batch: IngestBatch, now: Int64) {
        self.connection = connection
        self.batch = batch
        self.now = now
        subjects = EventSubjects(batch)
    }

    private mutating func write(_ checkpoint: IngestCheckpoint, isTakenToBeNew: Bool) throws -> [StoreOutcome] {
        let known = try load()
        if !isTakenToBeNew || known > 0 || !isAboveHeads { before = try StoredBefore(batch, connection) }
        var outcomes: [StoreOutcome] = []
        outcomes.reserveCapacity(batch.entries.count)
        for (index, entry) in batch.entries.enumerated() {
            outcomes.append(try index < known ? recall(entry) : store(entry))
        }
        let partition = batch.partition.number
        try connection.run(
            rows.takeCalls() + rejects.calls(partition: partition, incarnation: batch.incarnation, at: now)
                + updateThreads + [
                    WriteQueries.setCheckpoint(
                        .int(Int64(partition)), .text(checkpoint.incarnation), .text(checkpoint.offset)),
                    Statement.commit(),
                ])
        return outcomes
    }

    // MARK: Reading

    /// Begins the transaction and reads what nearly every batch needs.
    /// - Returns: how many entries the stored checkpoint covers. Offsets cannot be compared, so this only sees a
    ///   checkpoint that lies in the batch; older batches are recognised by their events being there.
    private mutating func load() throws -> Int {
        let events = batch.entries.lazy.compactMap { if case .event(let event) = $0.content { event } else { nil } }
        let pairs = events.compactMap(\.message).compactMap { message in
            message.recipient.map { [message.sender.id.text, $0.id.text] }
        }
        let partition = Parameter.int(Int64(batch.partition.number))
        var calls = [
            Statement.begin(), Locks.partition(partition), WriteQueries.checkpoint(partition),
            WriteQueries.threads(.texts(Set(batch.entries.compactMap(\.content.thread?.text)).sorted())),
            // Before it is asked who is erased: until this transaction ends, nobody else will be.
            Locks.nobodyIsErased(),
        ]
        let first = calls.count
        calls += subjects.calls
        let people = Set(pairs.joined())
        if !people.isEmpty { calls.append(WriteQueries.users(.texts(people.sorted()))) }
        let answers = try connection.run(calls)
        for (id, state) in try answers[3].map({ (ThreadID(trusted: try $0.text(0)), try ThreadState($0)) }) {
            threads[id] = state
        }
        if !people.isEmpty { users = Set(try answers[answers.count - 1].map { try $0.text(0) }) }
        try subjects.read(answers[first..<(first + subjects.calls.count)])
        guard let row = answers[2].first, try row.text(0) == batch.incarnation else { return 0 }
        let offset = try row.text(1)
        return (batch.entries.lastIndex { $0.offset == offset } ?? -1) + 1
    }

    /// Every event lies above the head of its thread and above those before it in the batch.
    private var isAboveHeads: Bool {
        var heads = threads.mapValues(\.headSeq)
        for case .event(let event) in batch.entries.lazy.map(\.content) {
            guard event.position.seq > heads[event.thread, default: 0] else { return false }
            heads[event.thread] = event.position.seq
        }
        return true
    }

    // MARK: Outcomes

    /// What became of an entry that an earlier call has dealt with.
    private func recall(_ entry: IngestBatch.Entry) throws -> StoreOutcome {
        if let reason = before?.rejectReason(at: entry.offset) { return .rejected(reason) }
        switch entry.content {
        case .unreadable(let reason, _): return .rejected(reason)
        case .readMark: return .marked
        case .event(let event):
            do {
                return .repeated(seq: try before?.seq(of: event) ?? event.position.seq)
            } catch {
                return .rejected(error.reason)
            }
        }
    }

    private mutating func store(_ entry: IngestBatch.Entry) throws -> StoreOutcome {
        switch entry.content {
        case .unreadable(let reason, let bytes):
            rejects.add(offset: entry.offset, reason: reason, bytes: bytes)
            return .rejected(reason)
        case .readMark(let mark):
            try move(mark)
            return .marked
        case .event(let event):
            do {
                return try store(event)
            } catch let poison as Poison {
                if EventRules.seqs.contains(event.position.seq) { threads[event.thread]?.noteUsed(event.position) }
                rejects.add(offset: entry.offset, reason: poison.reason, bytes: Array(event.report.canonical.utf8))
                return .rejected(poison.reason)
            }
        }
    }

    private mutating func store(_ event: LogEvent) throws -> StoreOutcome {
        try EventRules.check(event)
        guard var thread = threads[event.thread] else { return try storeFirst(event) }
        if let message = event.message, let recipient = message.recipient {
            guard thread.pair == [message.sender.id.text, recipient.id.text] else {
                throw Poison("the thread is not the direct thread of sender and recipient")
            }
            addPair(to: &thread, at: event)
        }
        let outcome = try place(event, in: &thread)
        threads[event.thread] = thread
        return outcome
    }

    /// The first event of a thread that is not there: only a direct message makes one.
    private mutating func storeFirst(_ event: LogEvent) throws -> StoreOutcome {
        guard let message = event.message, let recipient = message.recipient else { throw Poison("unknown thread") }
        guard event.thread == ThreadInfo.directID(message.sender.id, recipient.id) else {
            throw Poison("the thread is not the direct thread of sender and recipient")
        }
        let pair: Set = [message.sender.id.text, recipient.id.text]
        guard users.isSuperset(of: pair) else { throw Poison("sender or recipient of a direct message is unknown") }
        // Before anything is pending: a first message that is rejected makes no thread.
        _ = try before?.seq(of: event)
        var thread = ThreadState(pair: pair)
        rows.add(directThread: event.thread, of: pair, at: event.milliseconds)
        addPair(to: &thread, at: event)
        let outcome = try place(event, in: &thread)
        threads[event.thread] = thread
        return outcome
    }

    /// Both of a direct thread become members if they are not; what was said so far counts as read.
    private mutating func addPair(to thread: inout ThreadState, at event: LogEvent) {
        guard !thread.hasPairAsMembers else { return }
        for user in thread.pair {
            rows.add(
                member: user, of: event.thread,
                at: EventPlace(seq: thread.headSeq, n: thread.headN, milliseconds: event.milliseconds))
        }
        thread.hasPairAsMembers = true
    }

    /// Moves a read cursor as `markRead` does, past what the batch holds before the mark.
    private mutating func move(_ mark: ReadMark) throws {
        if let seq = mark.seq {
            // The tables are asked how many messages there are up to `seq`.
            let call = ReadQueries.markRead(.int(max(seq, 0)), .text(mark.thread.text), .text(mark.user.text))
            try connection.run(rows.takeCalls() + updateThreads + [call])
        } else if let thread = threads[mark.thread] {
            rows.move(mark.user, in: mark.thread, to: thread.headSeq, n: thread.headN)
        }
    }

    // MARK: Places

    /// Where an event goes: to the end of its thread, into a hole, or nowhere because it is there.
    private mutating func place(_ event: LogEvent, in thread: inout ThreadState) throws -> StoreOutcome {
        let seq = event.position.seq
        if let earlier = try before?.seq(of: event) {
            thread.noteUsed(event.position)
            return .repeated(seq: earlier)
        }
        let event = subjects.withoutErased(event)
        let effect = try subjects.effect(of: event, pair: thread.pair)
        if seq > thread.headSeq {
            append(event, effect, to: &thread, at: seq)
            return .stored(seq: seq)
        }
        guard before?.isTaken(seq, in: event.thread) != false else {
            try insert(event, effect, into: &thread)
            return .stored(seq: seq)
        }
        let next = thread.headSeq + 1
        guard EventRules.seqs.contains(next) else { throw Poison("the thread has no seq left") }
        append(event, effect, to: &thread, at: next)
        return .stored(seq: next)
    }

    private mutating func append(
        _ event: LogEvent, _ effect: EventEffect?, to thread: inout ThreadState, at seq: Int64
    ) {
        let milliseconds = max(event.milliseconds, thread.headMilliseconds)
        let n = thread.headN + (event.message == nil ? 0 : 1)
        thread.append(event, at: seq, milliseconds: milliseconds)
        add(event, effect, at: EventPlace(seq: seq, n: n, milliseconds: milliseconds), isOutdone: false, in: &thread)
    }

    /// Notes down a row, and what the event does.
    private mutating func add(
        _ event: LogEvent, _ effect: EventEffect?, at place: EventPlace, isOutdone: Bool, in thread: inout ThreadState
    ) {
        before?.note(event, at: place.seq)
        if let message = event.message {
            rows.add(message, of: event, at: place)
            subjects.note(message, of: event.thread, at: place.seq)
        }
        guard let effect else { return }
        rows.add(effect.fields, of: event, at: place)
        if effect.fields.kind == "left" { thread.hasPairAsMembers = false }
        guard !effect.isVoid, !isOutdone else { return }
        rows.carryOut(effect.fields, at: place, in: event.thread)
        subjects.note(effect.fields, in: event.thread)
    }

    /// Stores an event that comes late, at a free seq below the head; counts and cursors after it go up by one.
    private mutating func insert(
        _ event: LogEvent, _ effect: EventEffect?, into thread: inout ThreadState
    ) throws {
        let (id, seq) = (Parameter.text(event.thread.text), event.position.seq)
        // What is pending is counted up in its table, so it must be there first.
        let calls =
            rows.takeCalls() + [WriteQueries.neighbours(id, .int(seq), .int(EventRules.dates.upperBound))]
        guard let row = try connection.run(calls).last?.first else { return }
        let n = try row.int(0) + (event.message == nil ? 0 : 1)
        let milliseconds = min(max(event.milliseconds, try row.int(1)), try row.int(2))
        if event.message != nil {
            try connection.run(WriteQueries.countUp.map { $0(id, .int(seq)) })
        }
        thread.insert(event, at: seq, milliseconds: milliseconds)
        var isOutdone = false
        if let call = effect?.rivalCall(at: seq, of: event.thread) {
            isOutdone = try connection.run([call])[0].first?.bool(0) ?? false
        }
        let place = EventPlace(seq: seq, n: n, milliseconds: milliseconds)
        add(event, effect, at: place, isOutdone: isOutdone, in: &thread)
    }

    // MARK: Threads

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
    /// Which thread the entry is about; `nil` if it cannot be read.
    fileprivate var thread: ThreadID? {
        switch self {
        case .event(let event): event.thread
        case .readMark(let mark): mark.thread
        case .unreadable: nil
        }
    }
}
