import ParleyModel
import ParleyStorage

/// The users of a batch's direct threads who are not members, and whether their departure is still in the outbox. Most
/// batches have none. Read once per batch and kept up to date with the events that it stores.
struct MemberSubjects {
    private struct Key: Hashable {
        var thread: ThreadID
        var user: String
    }

    private struct Missing {
        /// The latest pending outbox entry with a `left` event of the user.
        var pendingLeave: Int64?
    }

    private var missing: [Key: Missing] = [:]

    /// Locks taken before any row of a thread and held until the batch is written, so that the results of `calls` stay
    /// valid. They cover threads of which a user is missing.
    let locks: [Call]
    /// The queries, to be sent together; `read` takes their results.
    let calls: [Call]

    init(_ batches: [IngestBatch]) {
        var pairs: Set<Key> = []
        for case .event(let event) in batches.lazy.flatMap(\.entries).map(\.content) {
            if let message = event.message, let pair = ThreadState.pair(of: message) {
                pairs.formUnion(pair.map { Key(thread: event.thread, user: $0) })
            }
        }
        guard !pairs.isEmpty else {
            (locks, calls) = ([], [])
            return
        }
        let (threads, users) = (Parameter.texts(pairs.map(\.thread.text)), Parameter.texts(pairs.map(\.user)))
        locks = [Locks.stateOfChanged(threads, users)]
        calls = [WriteQueries.missingMembers(threads, users)]
    }

    /// - Parameter replies: the results of `calls`.
    mutating func read(_ replies: some Collection<Rows>) throws {
        guard let rows = replies.first else { return }
        for (key, user) in try rows.map({
            (
                Key(thread: ThreadID(trusted: try $0.text(0)), user: try $0.text(1)),
                Missing(pendingLeave: try $0.optionalInt(2))
            )
        }) {
            missing[key] = user
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
