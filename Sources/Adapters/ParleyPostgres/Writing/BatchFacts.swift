import ParleyModel
import ParleyStorage

/// The facts that nearly every batch depends on, read once per transaction.
struct BatchFacts {
    private(set) var checkpoints: [Partition: IngestCheckpoint] = [:]
    private(set) var threads: [ThreadID: ThreadState] = [:]
    /// The users who exist among the senders and recipients of first messages in direct threads.
    private(set) var users: Set<String> = []
    /// The outbox entries that still exist for events of the batch.
    private(set) var outbox: Set<Int64> = []
    private(set) var deleted = DeletedEpochs()
    /// The lane of `event_batches` that the transaction has locked.
    let lane: Int
    var subjects: EventSubjects
    var members: MemberSubjects

    /// Begins the transaction and reads the facts.
    init(of batches: [IngestBatch], _ connection: PostgresConnection) throws {
        let contents = batches.flatMap(\.entries).map(\.content)
        subjects = EventSubjects(contents)
        let partitions = Parameter.ints(batches.map { Int64($0.partition.number) })
        let ids = Set(contents.compactMap { $0.thread?.text }).sorted()
        let (pairs, relays) = Self.keys(of: contents)
        members = MemberSubjects(pairs: Array(pairs))

        // Locks the state of threads before their rows, in the same order as the deletion of a thread.
        var pipeline = Pipeline(Statement.begin(), WriteQueries.planOnce(), Locks.partitions(partitions))
        if !pairs.isEmpty { pipeline.add(members.locks) }
        let lane = pipeline.add(Locks.freeLane())
        let checkpoints = pipeline.add(WriteQueries.checkpoints(partitions))
        let threads = pipeline.add(WriteQueries.threads(.texts(ids)))
        // Taken before erased users are read, so that no other user is erased until this transaction ends.
        pipeline.add(Locks.sharedErasure())
        let stored = subjects.add(to: &pipeline)
        let missing = pairs.isEmpty ? nil : members.add(to: &pipeline)
        let outbox = relays.isEmpty ? nil : pipeline.add(SendQueries.outbox(.ints(relays)))
        let users = pairs.isEmpty ? nil : pipeline.add(WriteQueries.users(.texts(Set(pairs.map(\.user)).sorted())))
        let replies = try connection.run(pipeline)

        self.lane = try replies.first(lane) ?? Self.waitForLane(connection)
        self.checkpoints = Dictionary(try replies.all(checkpoints)) { _, last in last }
        self.threads = Dictionary(try replies.all(threads)) { _, last in last }
        try subjects.read(stored, replies)
        if let missing { try members.read(missing, replies) }
        if let outbox { self.outbox = Set(try replies.all(outbox)) }
        if let users { self.users = Set(try replies.all(users)) }
        try readDeletedEpochs(contents, connection)
    }

    /// Waits for any lane, since all of them are taken.
    private static func waitForLane(_ connection: PostgresConnection) throws -> Int {
        let lane = Int.random(in: 0..<EventCursor.maximumLanes)
        _ = try connection.run([Locks.lane(.int(Int64(lane)))])
        return lane
    }

    private static func keys(
        of contents: [IngestBatch.Entry.Content]
    ) -> (pairs: Set<MemberSubjects.Key>, outbox: [Int64]) {
        var (pairs, outbox): (Set<MemberSubjects.Key>, [Int64]) = ([], [])
        for case .event(let event) in contents {
            if let id = event.outboxID { outbox.append(id) }
            guard let message = event.message, message.recipient != nil else { continue }
            for user in ThreadState.pair(of: message) ?? [] {
                pairs.insert(MemberSubjects.Key(thread: event.thread, user: user))
            }
        }
        return (pairs, outbox)
    }

    /// Reads the deleted epochs of threads that are new or have begun another epoch.
    private mutating func readDeletedEpochs(
        _ contents: [IngestBatch.Entry.Content], _ connection: PostgresConnection
    ) throws {
        var concerned: Set<ThreadID> = []
        for event in contents.lazy.compactMap(\.anyEvent)
        where DeletedEpochs.mustBeRead(for: event, in: threads[event.thread]) {
            concerned.insert(event.thread)
        }
        guard !concerned.isEmpty else { return }
        let call = SendQueries.deletedEpochs(.texts(concerned.map(\.text).sorted()))
        for (thread, epoch) in try connection.run(call) { deleted.insert(epoch, of: thread) }
    }

    /// Whether the batches can be assumed to be new: no checkpoint covers an entry, and every event is above the head
    /// of its thread and above the preceding events.
    func areNew(_ batches: [IngestBatch]) -> Bool {
        guard batches.allSatisfy({ $0.countCovered(by: checkpoints[$0.partition]) == 0 }) else { return false }
        var heads = threads.mapValues(\.headSeq)
        for case .event(let event) in batches.lazy.flatMap(\.entries).map(\.content) {
            guard event.position.seq > heads[event.thread, default: 0] else { return false }
            heads[event.thread] = event.position.seq
        }
        return true
    }

    /// Removes an entry, and returns whether it existed.
    mutating func removeFromOutbox(_ id: Int64) -> Bool { outbox.remove(id) != nil }
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
