import ParleyModel

/// The users of a batch's direct threads who are not members, and whether their departure is still in the outbox. Most
/// batches have no such users. The rows are read once per batch and kept up to date with the events that it stores.
struct MemberSubjects {
    struct Key: Hashable {
        var thread: ThreadID
        var user: String
    }

    private struct Missing {
        /// The latest pending outbox entry for a `left` event of the user.
        var pendingLeave: Int64?
    }

    private var missing: [Key: Missing] = [:]

    /// The users of the direct threads.
    private let pairs: [Key]

    init(pairs: [Key]) {
        self.pairs = pairs
    }

    /// Locks the direct threads that one of their users is not a member of. The locks are taken before any row of a
    /// thread and held until the batch is written, so that the rows that were read remain valid.
    var locks: Call {
        Locks.stateOfChanged(.texts(pairs.map(\.thread.text)), .texts(pairs.map(\.user)))
    }

    typealias Row = (thread: ThreadID, user: String, pendingLeave: Int64?)

    func add(to pipeline: inout Pipeline) -> Pipeline.Token<Row> {
        pipeline.add(WriteQueries.missingMembers(.texts(pairs.map(\.thread.text)), .texts(pairs.map(\.user))))
    }

    mutating func read(_ token: Pipeline.Token<Row>, _ replies: Replies) throws {
        for (thread, user, pendingLeave) in try replies.all(token) {
            missing[Key(thread: thread, user: user)] = Missing(pendingLeave: pendingLeave)
        }
    }

    /// Whether a message in a direct thread makes the user a member.
    func isMissing(_ user: String, from thread: ThreadID) -> Bool {
        missing[Key(thread: thread, user: user)].map { $0.pendingLeave == nil } ?? false
    }

    /// Records a stored outbox event.
    mutating func settle(_ event: LogEvent) {
        guard case .left(let user, _) = event.body else { return }
        let key = Key(thread: event.thread, user: user.id.text)
        if missing[key]?.pendingLeave == event.outboxID { missing[key]?.pendingLeave = nil }
    }
}
