/// The newest part of every thread's log, and the only way to append to it.
///
/// An append is one atomic step: a repeated `clientID` is recognised, the next seq is assigned, the event enters the
/// log and the ingest stream, and is published on the bus. No seq is assigned twice; `ThreadBus` and `IngestStream`
/// deliver exactly the events that were accepted.
package protocol MessageLog: Sendable {
    /// Appends an event. May be called from an event loop; never blocks.
    ///
    /// Appends of one caller to one thread keep their order.
    /// - Parameter completion: called once, on any thread, when the event is accepted or rejected.
    func append(_ draft: EventDraft, completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void)

    /// The end of a thread's log, seeded from the store if the log does not hold the thread yet; `nil` for a thread
    /// without events.
    func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead?

    /// The ends of several threads, without threads that have no events. Throws if any backend is unavailable.
    func heads(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: ThreadHead]

    /// The ends of those threads that have events in the log itself. Cheap, since it does not read the store.
    func ends(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: Position]

    /// Accepted events with a seq above `after`, in order, at most `limit`; see `LogSlice`.
    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice

    /// Removes texts, parts and names from the events that the log holds of a thread. Every event keeps its position,
    /// date and id; a message becomes a placeholder marked as deleted or erased. From then on the removed content can
    /// no longer be read and is held nowhere except in the ingest stream, until it is stored.
    ///
    /// Idempotent, and cheap if there is nothing to remove: one read of the log.
    func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError)

    /// Drops the log of a deleted thread, including its end. Later appends, by any node, begin another epoch, above
    /// what the store has of the thread.
    ///
    /// Idempotent. Events on their way to the store are not affected; the store handles them.
    func forget(_ thread: ThreadID) async throws(AppendError)

    /// The number of hosts that hold the log, at least 1; they can fail independently.
    var hostCount: Int { get }

    /// The index of the host that holds a thread, from 0; the same in every process.
    func host(of thread: ThreadID) -> Int
}

/// The reason that an event was not appended.
package enum AppendError: Error, Hashable, Sendable {
    /// The `clientID` was used before for another text or thread.
    case conflict
    /// A backend is unavailable or overloaded; the same call may succeed later, with `EventDraft.mayBeThere`.
    case unavailable(String)
}

/// A run of consecutive events.
package struct LogSlice: Hashable, Sendable {
    /// The epoch of the log; `nil` for a thread without events.
    package var epoch: Epoch?
    package var events: [LogEvent]
    /// The seq of the newest event, whether it is among `events` or not; 0 for a thread without events.
    package var end: Int64
    /// The log begins above the requested seq: the events in between are only in the store.
    package var isTruncated: Bool
    /// Earlier epochs of the thread that ended since a log had lost events, each with the last seq of it that is still
    /// valid. Empty if none is known.
    package var formerEpochs: [Epoch: Int64] = [:]

    package init(epoch: Epoch?, events: [LogEvent], end: Int64, isTruncated: Bool) {
        self.epoch = epoch
        self.events = events
        self.end = end
        self.isTruncated = isTruncated
    }
}

extension MessageLog {
    /// Default for a log on one host.
    package var hostCount: Int { 1 }

    /// See `hostCount`.
    package func host(of thread: ThreadID) -> Int { 0 }

    /// Removes an erased user's texts, parts and name from the log of a thread.
    package func redact(_ user: UserID, in thread: ThreadID) async throws(AppendError) {
        try await redact(.user(user), in: thread)
    }

    /// Default implementation, one by one.
    package func heads(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: ThreadHead] {
        var heads: [ThreadID: ThreadHead] = [:]
        for thread in threads { heads[thread] = try await head(of: thread) }
        return heads
    }

    /// Default implementation by way of `heads(of:)`.
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
