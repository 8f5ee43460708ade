/// The newest part of every thread's log, and the only way to append to it.
///
/// An append is one atomic step: the log recognises a repeated `clientID`, assigns the next seq, adds the event to the log and
/// the ingest stream, and publishes it on the bus. No seq is assigned twice. `ThreadBus` and `IngestStream` deliver exactly the
/// accepted events.
package protocol MessageLog: Sendable {
    /// Appends an event. May be called from an event loop; never blocks.
    ///
    /// Appends of one caller to one thread keep their order.
    /// - Parameter completion: Called once, on any thread, when the event is accepted or rejected.
    func append(_ draft: EventDraft, completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void)

    /// The end of a thread's log; `nil` for a thread without events. If the log does not hold the thread yet, it is seeded from the store.
    func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead?

    /// The ends of several threads' logs. Threads without events are missing. Throws if any backend is unavailable.
    func heads(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: ThreadHead]

    /// The ends of the threads that have events in the log itself. Cheap, since the store is not read.
    func ends(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: Position]

    /// Returns accepted events with a seq above `after`, in order, at most `limit`; see `LogSlice`.
    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice

    /// Removes texts, parts and names from the events of a thread that the log holds. Every event keeps its position, date and
    /// id; a message becomes a placeholder marked as deleted or erased. Afterwards the removed content can no longer be read.
    /// It remains only in the ingest stream until it is stored.
    ///
    /// Idempotent. If there is nothing to remove, it costs one read of the log.
    func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError)

    /// Drops the log of a deleted thread, including its end. Later appends by any node begin another epoch, above the thread's stored log.
    ///
    /// Idempotent. Events on their way to the store are not affected; the store handles them.
    func forget(_ thread: ThreadID) async throws(AppendError)

    /// The number of hosts that hold the log, at least 1; they can fail independently.
    var hostCount: Int { get }

    /// The index of the host that holds a thread, from 0. Every process computes the same index.
    func host(of thread: ThreadID) -> Int
}

/// The reason that an event was not appended.
package enum AppendError: Error, Hashable, Sendable {
    /// The `clientID` was used before, for another text or thread.
    case conflict
    /// A backend is unavailable or overloaded. The same call may succeed later, with `EventDraft.mayBeThere`.
    case unavailable(String)
}

/// Consecutive events of a thread's log.
package struct LogSlice: Hashable, Sendable {
    /// The epoch of the log; `nil` for a thread without events.
    package var epoch: Epoch?
    package var events: [LogEvent]
    /// The seq of the newest event, whether or not it is in `events`; 0 for a thread without events.
    package var end: Int64
    /// Whether the log begins above the requested seq, so that the events in between are only in the store.
    package var isTruncated: Bool
    /// Earlier epochs of the thread that ended because a log had lost events, each with its last valid seq. Empty if none is known.
    package var formerEpochs: [Epoch: Int64] = [:]

    package init(epoch: Epoch?, events: [LogEvent], end: Int64, isTruncated: Bool) {
        self.epoch = epoch
        self.events = events
        self.end = end
        self.isTruncated = isTruncated
    }
}

extension MessageLog {
    /// Default implementation for a log on one host.
    package var hostCount: Int { 1 }

    /// Default implementation for a log on one host.
    package func host(of thread: ThreadID) -> Int { 0 }

    /// Removes an erased user's texts, parts and name from the log of a thread.
    package func redact(_ user: UserID, in thread: ThreadID) async throws(AppendError) {
        try await redact(.user(user), in: thread)
    }

    /// Default implementation that reads heads one by one.
    package func heads(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: ThreadHead] {
        var heads: [ThreadID: ThreadHead] = [:]
        for thread in threads { heads[thread] = try await head(of: thread) }
        return heads
    }

    /// Default implementation that calls `heads(of:)`.
    package func ends(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: Position] {
        try await heads(of: threads).mapValues(\.position)
    }

    /// Appends an event and waits for the result.
    package func append(_ draft: EventDraft) async throws(AppendError) -> Receipt {
        let result = await withCheckedContinuation { continuation in
            append(draft) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }
}
