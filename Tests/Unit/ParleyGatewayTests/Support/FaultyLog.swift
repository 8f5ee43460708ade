import ParleyModel
import ParleyTestSupport
import Synchronization

/// A log in front of another that can be away, or keep its answers back.
final class FaultyLog: MessageLog {
    enum Mode {
        case normal
        /// Every append is refused.
        case away
        /// Nothing is appended or answered.
        case mute
    }

    private let log: any MessageLog
    private let mode = Mutex(Mode.normal)
    /// The texts of all messages of appends, accepted or not.
    let attempts = Mailbox<String>(of: "append")

    init(_ log: any MessageLog) {
        self.log = log
    }

    func become(_ new: Mode) {
        mode.withLock { $0 = new }
    }

    func append(_ draft: EventDraft, completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void) {
        if case .message(let message) = draft.body { attempts.put(message.text) }
        switch mode.withLock({ $0 }) {
        case .normal: log.append(draft, completion: completion)
        case .away: completion(.failure(.unavailable("told to be away")))
        case .mute: break
        }
    }

    func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead? {
        try await log.head(of: thread)
    }

    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice {
        try await log.events(in: thread, after: after, limit: limit)
    }

    func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError) {
        try await log.redact(redaction, in: thread)
    }

    func forget(_ thread: ThreadID) async throws(AppendError) {
        try await log.forget(thread)
    }
}
