import ParleyModel

/// Threads with messages that were due while recipients had a connected client, and these recipients.
///
/// A client can be gone before its server knows: a phone that was suspended or lost its network ends no connection, and is found
/// to be gone when it does not answer. Until then it is uncertain whether the user has seen the messages.
struct HeldMessages {
    /// The time after which a client that is still connected was there, in milliseconds: a gateway ends a connection without a
    /// sign of life within a minute, and the presence that a killed gateway leaves behind ends earlier.
    private static let period: Int64 = 90_000
    /// The maximum number of threads. Beyond it, others are not held.
    private static let maximumThreads = 1_000

    struct Thread {
        /// A place of the stream before the messages.
        let cursor: EventCursor
        fileprivate var ends: [User: Int64] = [:]

        var users: [User] { ends.keys.sorted { $0.id.text < $1.id.text } }
    }

    private(set) var threads: [ThreadID: Thread] = [:]

    /// - Parameter cursor: The place of the stream before messages that are due.
    mutating func hold(_ id: ThreadID, after cursor: EventCursor, for users: [User], at now: Int64) {
        guard !users.isEmpty, threads[id] != nil || threads.count < Self.maximumThreads else { return }
        var thread = threads[id] ?? Thread(cursor: cursor)
        for user in users { thread.ends[user] = now &+ Self.period }
        threads[id] = thread
    }

    /// Forgets recipients whose clients were certainly there.
    mutating func expire(at now: Int64) {
        threads = threads.compactMapValues { thread in
            var thread = thread
            thread.ends = thread.ends.filter { $0.value > now }
            return thread.ends.isEmpty ? nil : thread
        }
    }

    /// Forgets recipients whose client has turned out to be gone.
    mutating func release(_ users: [User], in thread: ThreadID) {
        for user in users { threads[thread]?.ends[user] = nil }
    }
}
