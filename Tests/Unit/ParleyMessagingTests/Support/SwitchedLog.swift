import ParleyModel
import Synchronization

/// A log that can be unavailable or silent, and counts appends.
final class SwitchedLog: MessageLog {
    private struct State {
        var isAway = false
        var isSilent = false
        var losesNext = false
        var count = 0
    }

    private let logs: Mutex<any MessageLog>
    private let state = Mutex(State())

    init(_ log: any MessageLog) {
        logs = Mutex(log)
    }

    private var log: any MessageLog { logs.withLock { $0 } }

    func replace(with log: any MessageLog) { logs.withLock { $0 = log } }

    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    var isSilent: Bool {
        get { state.withLock { $0.isSilent } }
        set { state.withLock { $0.isSilent = newValue } }
    }

    /// Whether the next event is accepted, and lost.
    var losesNext: Bool {
        get { state.withLock { $0.losesNext } }
        set { state.withLock { $0.losesNext = newValue } }
    }

    var count: Int { state.withLock { $0.count } }

    func append(_ draft: EventDraft, completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void) {
        let now = state.withLock { state in
            defer { state.losesNext = false }
            state.count += 1
            return state
        }
        if now.losesNext {
            let log = log
            Task {
                let end = try await log.head(of: draft.thread)
                let position = Position(epoch: end?.position.epoch ?? Epoch(""), seq: (end?.position.seq ?? 0) + 1)
                completion(
                    .success(Receipt(thread: draft.thread, position: position, milliseconds: 0, messageID: nil)))
            }
            return
        }
        if now.isSilent { return }
        if now.isAway { return completion(.failure(.unavailable("switched off"))) }
        log.append(draft, completion: completion)
    }

    func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError) {
        if isAway { throw .unavailable("switched off") }
        try await log.redact(redaction, in: thread)
    }

    func forget(_ thread: ThreadID) async throws(AppendError) {
        if isAway { throw .unavailable("switched off") }
        try await log.forget(thread)
    }

    func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead? { try await log.head(of: thread) }

    func ends(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: Position] {
        try await log.ends(of: threads)
    }

    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice {
        try await log.events(in: thread, after: after, limit: limit)
    }
}
