import ParleyModel

/// A log that cannot be read of some threads, as when one of several Redis hosts is away.
struct PartlyUnavailableLog: MessageLog {
    let log: any MessageLog
    let away: Set<ThreadID>

    func append(_ draft: EventDraft, completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void) {
        log.append(draft, completion: completion)
    }

    func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead? {
        if away.contains(thread) { throw .unavailable("told to be away") }
        return try await log.head(of: thread)
    }

    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice {
        if away.contains(thread) { throw .unavailable("told to be away") }
        return try await log.events(in: thread, after: after, limit: limit)
    }

    func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError) {
        try await log.redact(redaction, in: thread)
    }

    func forget(_ thread: ThreadID) async throws(AppendError) {
        try await log.forget(thread)
    }
}
