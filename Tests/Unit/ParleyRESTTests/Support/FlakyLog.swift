import ParleyModel
import Synchronization

/// A log whose appends can be made to fail.
final class FlakyLog: MessageLog {
    private let log: any MessageLog
    private let away = Mutex(false)

    init(_ log: any MessageLog) {
        self.log = log
    }

    var isAway: Bool {
        get { away.withLock { $0 } }
        set { away.withLock { $0 = newValue } }
    }

    func append(_ draft: EventDraft, completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void) {
        if isAway { return completion(.failure(.unavailable("switched off"))) }
        log.append(draft, completion: completion)
    }

    func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead? {
        try await log.head(of: thread)
    }

    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice {
        try await log.events(in: thread, after: after, limit: limit)
    }

    func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError) {
        if isAway { throw .unavailable("switched off") }
        try await log.redact(redaction, in: thread)
    }

    func forget(_ thread: ThreadID) async throws(AppendError) {
        if isAway { throw .unavailable("switched off") }
        try await log.forget(thread)
    }
}
