import ParleyModel
import ParleyStorage

/// The rows that must be read before a batch changes the members of a thread: their pending outbox entries, and the
/// users of direct threads who are not members. Most batches need neither. Read once per batch and kept up to date with
/// its effects.
struct MemberSubjects {
    private struct Key: Hashable {
        var thread: ThreadID
        var user: String
    }

    private(set) var words = PendingAnnouncements()
    /// The users of the batch's direct threads who are not members.
    private var missing: Set<Key> = []

    /// Locks taken before any row of a thread and held until the batch is written, so that the results of `calls` stay
    /// valid. They cover direct threads only if a user is missing, and other threads only if a node of the previous
    /// version has changed them.
    let locks: [Call]
    /// The queries, to be sent together; `read` takes their results.
    let calls: [Call]

    init(_ batches: [IngestBatch]) {
        var (subjects, pairs): (Set<Key>, Set<Key>) = ([], [])
        for case .event(let event) in batches.lazy.flatMap(\.entries).map(\.content) {
            if let message = event.message, let pair = ThreadState.pair(of: message) {
                pairs.formUnion(pair.map { Key(thread: event.thread, user: $0) })
            } else if event.outboxID == nil, let user = EventFields(event.body).flatMap(PendingAnnouncements.subject) {
                subjects.insert(Key(thread: event.thread, user: user))
            }
        }
        guard !subjects.isEmpty || !pairs.isEmpty else {
            (locks, calls) = ([], [])
            return
        }
        let (all, pair) = (Array(subjects.union(pairs)), Array(pairs))
        let (pairThreads, pairUsers) = (Parameter.texts(pair.map(\.thread.text)), Parameter.texts(pair.map(\.user)))
        locks = [
            Locks.stateOfChanged(.texts(Set(subjects.map(\.thread.text)).sorted()), pairThreads, pairUsers)
        ]
        calls = [
            SendQueries.pendingAnnouncements(.texts(all.map(\.thread.text)), .texts(all.map(\.user))),
            WriteQueries.missingMembers(pairThreads, pairUsers),
        ]
    }

    /// - Parameter replies: the results of `calls`.
    mutating func read(_ replies: some Collection<Rows>) throws {
        let replies = Array(replies)
        guard replies.count == 2 else { return }
        for row in replies[0].map({ $0 }) {
            words.add(
                OutboxEntry(
                    id: try row.int(0), thread: ThreadID(trusted: try row.text(1)),
                    content: try OutboxEntry.Content(storedKind: row.text(2), payload: row.text(3))))
        }
        missing = Set(try replies[1].map { Key(thread: ThreadID(trusted: try $0.text(0)), user: try $0.text(1)) })
    }

    /// Whether a message in a direct thread makes the user a member.
    func isMissing(_ user: String, from thread: ThreadID) -> Bool {
        missing.contains(Key(thread: thread, user: user)) && !words.hasPendingLeave(user, of: thread)
    }

    /// Records a stored outbox event.
    mutating func settle(_ event: LogEvent) { words.settle(event) }

    /// Records the effect of an event.
    mutating func note(_ action: EventFields, in thread: ThreadID) {
        if action.kind == .left { missing.insert(Key(thread: thread, user: action.user.text)) }
    }
}
