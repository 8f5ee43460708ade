import ParleyModel
import ParleyStorage

/// What must be known before a batch changes who is in a thread: what the outbox has still to tell of them, and who of the
/// two of a direct thread is no member. Most batches need neither. Read once per batch, and kept up with what it does.
struct MemberSubjects {
    private struct Key: Hashable {
        var thread: ThreadID
        var user: String
    }

    private(set) var words = PendingAnnouncements()
    /// Those of the batch's pairs who are no members.
    private var missing: Set<Key> = []

    /// Held until the batch is written, before any row of a thread: so the answers to `calls` stay true. Of direct
    /// threads only those in which somebody is missing, of others those that a node of the version before has changed.
    let locks: [Call]
    /// The questions, to be asked together; `read` takes the answers.
    let calls: [Call]

    init(_ batch: IngestBatch) {
        var (subjects, pairs): (Set<Key>, Set<Key>) = ([], [])
        for case .event(let event) in batch.entries.lazy.map(\.content) {
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

    /// - Parameter answers: to `calls`.
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

    /// Somebody of a direct thread is to become a member by what is said in it.
    func isMissing(_ user: String, from thread: ThreadID) -> Bool {
        missing.contains(Key(thread: thread, user: user)) && !words.isOut(user, of: thread)
    }

    /// An event of the outbox is stored.
    mutating func settle(_ event: LogEvent) { words.settle(event) }

    /// An event has its effect.
    mutating func note(_ action: EventFields, in thread: ThreadID) {
        if action.kind == "left" { missing.insert(Key(thread: thread, user: action.user.text)) }
    }
}
