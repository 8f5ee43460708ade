import ParleyModel

/// Threads with messages that were due while recipients had a connected client, and these recipients.
///
/// A client can be gone before its server knows: a phone that was suspended or lost its network ends no connection, and is found
/// to be gone when it does not answer. Until then it is uncertain whether the user has seen the messages.
struct HeldMessages {
    /// The time after which a client that is still connected was there, in milliseconds: a gateway ends a connection without a
    /// sign of life within a minute, and the presence that a killed gateway leaves behind ends earlier.
    private static let period: Int64 = 90_000
    /// The time between two places that are kept of a thread, which bounds their number, in milliseconds.
    private static let interval: Int64 = 10_000
    /// The longest time for which a message is held, in milliseconds.
    static let longest = period + interval
    /// The maximum number of threads. Beyond it, others are not held.
    private static let maximumThreads = 1_000

    struct Thread {
        /// The positions of messages, and the times at which these were due, the oldest first.
        fileprivate var places: [(seq: Int64, due: Int64)] = []
        fileprivate var ends: [User: Int64] = [:]

        /// The position of the first message that is uncertain.
        var firstSeq: Int64? { places.first?.seq }
        var users: [User] { ends.keys.sorted { $0.id.text < $1.id.text } }
    }

    private(set) var threads: [ThreadID: Thread] = [:]

    /// - Parameter seq: The position of the first of the messages that are due.
    mutating func hold(_ id: ThreadID, from seq: Int64, for users: [User], at now: Int64) {
        guard !users.isEmpty, threads[id] != nil || threads.count < Self.maximumThreads else { return }
        var thread = threads[id] ?? Thread()
        if thread.places.last.map({ now - $0.due >= Self.interval }) ?? true { thread.places.append((seq, now)) }
        for user in users { thread.ends[user] = now &+ Self.period }
        threads[id] = thread
    }

    /// Forgets messages that recipients have certainly seen, because their clients were still connected later.
    mutating func expire(at now: Int64) {
        threads = threads.compactMapValues { thread in
            var thread = thread
            thread.ends = thread.ends.filter { $0.value > now }
            // A place stands for messages of the interval after it.
            thread.places.removeAll { $0.due &+ Self.period &+ Self.interval <= now }
            return thread.ends.isEmpty ? nil : thread
        }
    }

    /// Forgets recipients whose client has turned out to be gone.
    mutating func release(_ users: [User], in thread: ThreadID) {
        for user in users { threads[thread]?.ends[user] = nil }
    }
}
