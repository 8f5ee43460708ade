/// The newest part of every thread's log, and the one way into it.
///
/// An append is one atomic step: a repeated `clientID` is recognised, the next seq is taken, the event enters the log
/// and the ingest stream, and is published on the bus. Two appends never get one seq; what `ThreadBus` delivers and
/// what `IngestStream` hands out is exactly what was accepted.
package protocol MessageLog: Sendable {
    /// Appends an event; may be called from an event loop, never blocks.
    ///
    /// Appends of one caller to one thread keep their order.
    /// - Parameter completion: called once, on any thread, when the event is accepted or refused.
    func append(_ draft: EventDraft, completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void)

    /// The end of a thread's log, seeded from the store if the log has not seen the thread yet; `nil` for a thread
    /// without events.
    func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead?

    /// The same of many threads, without those that have no events; all of them or none if a backend is away.
    func heads(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: ThreadHead]

    /// The ends of those threads that have events in the log itself; the store is not asked, so this is cheap.
    func ends(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: Position]

    /// Accepted events with a seq above `after`, in order, at most `limit`; see `LogSlice`.
    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice

    /// Takes texts, parts and names out of the events that the log has of a thread. Every event keeps its place, date and
    /// id; a message becomes a placeholder, which says that it was deleted or erased. From then on nobody reads, and
    /// nothing holds, what has been taken out, but for the ingest stream until that is stored.
    ///
    /// Idempotent, and cheap if there is nothing to take out: one reading of the log.
    func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError)

    /// Forgets a thread that was deleted: its events, and where it ended. What is appended to it afterwards, by whichever
    /// node, begins another epoch, above what the store has of the thread.
    ///
    /// Idempotent. What is on its way to the store is the store's affair.
    func forget(_ thread: ThreadID) async throws(AppendError)

    /// How many hosts the log is on, at least 1; each may be away while the others are not.
    var hostCount: Int { get }

    /// Which of them has a thread, from 0 on; the same in every process.
    func host(of thread: ThreadID) -> Int
}

/// Why an event did not enter the log.
package enum AppendError: Error, Hashable, Sendable {
    /// The `clientID` was used before for another text or thread.
    case conflict
    /// A backend is away or overloaded; the same call may succeed later, with `EventDraft.mayBeThere`.
    case unavailable(String)
}

/// A run of consecutive events.
package struct LogSlice: Hashable, Sendable {
    /// The epoch of the log; `nil` for a thread without events.
    package var epoch: Epoch?
    package var events: [LogEvent]
    /// The seq of the newest event, whether it is among `events` or not; 0 for a thread without events.
    package var end: Int64
    /// The log begins above the seq that was asked for: what lies between is only in the store.
    package var isTruncated: Bool

    package init(epoch: Epoch?, events: [LogEvent], end: Int64, isTruncated: Bool) {
        self.epoch = epoch
        self.events = events
        self.end = end
        self.isTruncated = isTruncated
    }
}

extension MessageLog {
    /// For a log on one host.
    package var hostCount: Int { 1 }

    /// As `hostCount`.
    package func host(of thread: ThreadID) -> Int { 0 }

    /// Takes an erased user's texts, parts and name out of the log of a thread.
    package func redact(_ user: UserID, in thread: ThreadID) async throws(AppendError) {
        try await redact(.user(user), in: thread)
    }

    /// One after the other.
    package func heads(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: ThreadHead] {
        var heads: [ThreadID: ThreadHead] = [:]
        for thread in threads { heads[thread] = try await head(of: thread) }
        return heads
    }

    /// For a log that has nothing cheaper.
    package func ends(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: Position] {
        try await heads(of: threads).mapValues(\.position)
    }

    /// Appends an event and waits for the answer.
    package func append(_ draft: EventDraft) async throws(AppendError) -> Receipt {
        let result = await withCheckedContinuation { continuation in
            append(draft) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }
}
