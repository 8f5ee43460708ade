import ParleyModel
import Synchronization

/// Kills a process at one of its calls of a store or a log: from there on, none of its calls returns.
final class CrashPoint: Sendable {
    /// Where the process is killed: before call number `call` takes effect, or after it, without its result.
    struct Cut: Hashable, Sendable, CustomStringConvertible {
        var call: Int
        var isAfter: Bool

        var description: String { "killed \(isAfter ? "after" : "before") call \(call)" }
    }

    struct Killed: Error {}

    private let cut: Cut?
    private let calls = Mutex(0)

    init(_ cut: Cut?) {
        self.cut = cut
    }

    /// The number of calls so far.
    var count: Int { calls.withLock { $0 } }

    var hasStruck: Bool { cut.map { count > $0.call } ?? false }

    /// What happens to the next call.
    func next() -> (isCarriedOut: Bool, isAnswered: Bool) {
        let number = calls.withLock { calls in
            calls += 1
            return calls - 1
        }
        guard let cut, number >= cut.call else { return (true, true) }
        return (number == cut.call && cut.isAfter, false)
    }

    func call<Value>(_ body: () async throws -> Value) async throws -> Value {
        let (isCarriedOut, isAnswered) = next()
        guard isCarriedOut else { throw Killed() }
        let value = try await body()
        guard isAnswered else { throw Killed() }
        return value
    }

    func callStore<Value>(_ body: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        let (isCarriedOut, isAnswered) = next()
        guard isCarriedOut else { throw .unavailable("killed") }
        let value = try await body()
        guard isAnswered else { throw .unavailable("killed") }
        return value
    }

    func callLog(_ body: (Bool) -> Void, _ refuse: () -> Void) {
        let (isCarriedOut, isAnswered) = next()
        if isCarriedOut { body(isAnswered) } else { refuse() }
    }
}

/// A log whose process may be killed.
struct CrashingLog: MessageLog {
    let log: any MessageLog
    let crashPoint: CrashPoint

    func append(_ draft: EventDraft, completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void) {
        let lost = Result<Receipt, AppendError>.failure(.unavailable("killed"))
        crashPoint.callLog { isAnswered in
            log.append(draft) { completion(isAnswered ? $0 : lost) }
        } _: {
            completion(lost)
        }
    }

    func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError) {
        try await change { () throws(AppendError) in try await log.redact(redaction, in: thread) }
    }

    func forget(_ thread: ThreadID) async throws(AppendError) {
        try await change { () throws(AppendError) in try await log.forget(thread) }
    }

    private func change(_ body: () async throws(AppendError) -> Void) async throws(AppendError) {
        let (isCarriedOut, isAnswered) = crashPoint.next()
        guard isCarriedOut else { throw .unavailable("killed") }
        try await body()
        guard isAnswered else { throw .unavailable("killed") }
    }

    func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead? { try await log.head(of: thread) }

    func ends(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: Position] {
        try await log.ends(of: threads)
    }

    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice {
        try await log.events(in: thread, after: after, limit: limit)
    }
}
