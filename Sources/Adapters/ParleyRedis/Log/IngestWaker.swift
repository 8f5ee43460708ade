import Logging
import NIOCore
import ParleyRedisClient
import Synchronization

/// Wakes the reader of a host's ingest streams when a sender waits for an entry to be stored.
///
/// The append of such a send pushes an element to a list beside its stream, and one BLPOP at a time waits for the lists
/// of the partitions that are read. Entries for which no sender waits do not wake the reader. Without a connection, the
/// reader is not woken, and reads at its regular time. The same applies for up to a second after its partitions have
/// changed, since the BLPOP in progress has the lists of the old ones.
final class IngestWaker: Sendable {
    private struct State {
        var isStarted = false
        var lastWait = 0
        var waiters: [Int: Waiter] = [:]
        /// Whether a BLPOP has no reply yet.
        var isAsking = false
        /// The lists that got an element while no reader waited for them.
        var pending: Set<String> = []
        /// Whether the last reply was an error, which is logged once.
        var isRefused = false
        var hasEndedWaits = false
    }

    private struct Waiter {
        let lists: [String]
        let continuation: CheckedContinuation<Bool, Never>
        let timeout: Scheduled<Void>
    }

    /// The time for which Redis holds a BLPOP, in seconds. It is much shorter than the silence after which a connection
    /// counts as lost, since Redis does not reply to a PING during that time.
    private static let blockSeconds = 1

    /// The pause after a BLPOP that failed.
    private static let retryDelay = TimeAmount.milliseconds(500)

    private let connection: CommandConnection
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameter connection: used for nothing else, since it is blocked most of the time.
    init(_ connection: CommandConnection, logger: Logger) {
        self.connection = connection
        self.logger = logger
    }

    /// Waits until an entry is awaited, at most `limit`.
    /// - Parameter lists: the keys of the lists of the partitions that are read.
    /// - Returns: whether an entry is awaited; `false` also when the task is cancelled or `endWaits` was called.
    func wait(for lists: [String], atMost limit: Duration) async -> Bool {
        let (number, isFirst) = state.withLock { state in
            defer { state.isStarted = true }
            state.lastWait += 1
            return (state.lastWait, !state.isStarted)
        }
        if isFirst { connection.start() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (result, asks) = state.withLock { state -> (Bool?, Bool) in
                    // Cancellation sets the flag before the handler below takes the lock, so one of the two sees it.
                    if Task.isCancelled || state.hasEndedWaits { return (false, false) }
                    if !state.pending.isDisjoint(with: lists) {
                        state.pending.subtract(lists)
                        return (true, false)
                    }
                    let timeout = connection.eventLoop.scheduleTask(in: TimeAmount(limit)) { self.end(number) }
                    state.waiters[number] = Waiter(lists: lists, continuation: continuation, timeout: timeout)
                    defer { state.isAsking = true }
                    return (nil, !state.isAsking)
                }
                if let result { return continuation.resume(returning: result) }
                if asks { ask() }
            }
        } onCancel: {
            end(number)
        }
    }

    /// Ends all waits, including later ones.
    func endWaits() {
        let waiters = state.withLock { state in
            state.hasEndedWaits = true
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values {
            waiter.timeout.cancel()
            waiter.continuation.resume(returning: false)
        }
    }

    /// Ends a wait, if it is not over.
    private func end(_ number: Int) {
        guard let waiter = state.withLock({ $0.waiters.removeValue(forKey: number) }) else { return }
        waiter.timeout.cancel()
        waiter.continuation.resume(returning: false)
    }

    /// Asks for all lists that are waited for. A wait that begins before the reply has its lists in the next BLPOP.
    private func ask() {
        let lists = state.withLock { state in
            let lists = Set(state.waiters.values.flatMap(\.lists))
            state.isAsking = !lists.isEmpty
            return lists
        }
        guard !lists.isEmpty else { return }
        var command = RESPCommand(count: lists.count + 2, capacity: 64 * lists.count + 64)
        command.append("BLPOP")
        for list in lists { command.append(list) }
        command.append(Self.blockSeconds)
        connection.send(command) { self.replied($0) }
    }

    private func replied(_ reply: Result<RESPValue, RedisError>) {
        var (list, error, hasFailed): (String?, String?, Bool) = (nil, nil, false)
        switch reply {
        case .success(.array(let parts)): list = parts.first?.text
        case .success(.error(let text)): (error, hasFailed) = (text, true)
        case .failure: hasFailed = true
        case .success: break
        }
        let (woken, isNews) = state.withLock { state in
            var woken: [Waiter] = []
            if let list {
                for (number, waiter) in state.waiters where waiter.lists.contains(list) {
                    state.waiters[number] = nil
                    woken.append(waiter)
                }
                if woken.isEmpty { state.pending.insert(list) }
            }
            defer { state.isRefused = error != nil }
            return (woken, error != nil && !state.isRefused)
        }
        for waiter in woken {
            waiter.timeout.cancel()
            waiter.continuation.resume(returning: true)
        }
        if let error, isNews {
            logger.warning(
                "BLPOP was refused: acks of stored messages take the full delay",
                metadata: ["error": "\(error)"])
        }
        if hasFailed {
            connection.eventLoop.scheduleTask(in: Self.retryDelay) { self.ask() }
        } else {
            ask()
        }
    }
}
