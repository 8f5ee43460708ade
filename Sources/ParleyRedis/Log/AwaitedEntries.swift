import NIOCore
import Synchronization

/// Wakes the reader of a host's ingest streams when a sender waits for an entry to be stored.
///
/// The append of such a send pushes an element to a list beside its stream, and one BLPOP at a time waits for the lists
/// of the partitions that are read. Entries for which no sender waits wake nobody. Without a connection, and for
/// appends by nodes of an older version, the reader is not woken, and reads when its time has come.
final class AwaitedEntries: Sendable {
    private struct State {
        var isStarted = false
        var lastWait = 0
        var waiters: [Int: Waiter] = [:]
        /// Whether a BLPOP has no reply yet.
        var isAsking = false
        /// The lists that got an element while nobody waited for them.
        var pending: Set<String> = []
    }

    private struct Waiter {
        let lists: [String]
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// How long Redis holds a BLPOP. Much less than the silence after which a connection counts as lost, since Redis
    /// replies to no PING meanwhile.
    private static let blockSeconds = 1

    private static let retryDelay = TimeAmount.milliseconds(100)

    private let connection: CommandConnection
    private let state = Mutex(State())

    /// - Parameter connection: used for nothing else, since it is blocked most of the time.
    init(_ connection: CommandConnection) {
        self.connection = connection
    }

    /// Waits until an entry is awaited, at most `limit`.
    /// - Parameter lists: the keys of the lists of the partitions that are read.
    /// - Returns: whether an entry is awaited; `false` also when the task is cancelled.
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
                    if !state.pending.isDisjoint(with: lists) {
                        state.pending.subtract(lists)
                        return (true, false)
                    }
                    // Cancellation sets the flag before the handler below takes the lock, so one of the two sees it.
                    if Task.isCancelled { return (false, false) }
                    state.waiters[number] = Waiter(lists: lists, continuation: continuation)
                    defer { state.isAsking = true }
                    return (nil, !state.isAsking)
                }
                if let result { return continuation.resume(returning: result) }
                connection.eventLoop.scheduleTask(in: TimeAmount(limit)) { self.end(number) }
                if asks { ask() }
            }
        } onCancel: {
            end(number)
        }
    }

    /// Ends a wait, if it is not over.
    private func end(_ number: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
        waiter?.continuation.resume(returning: false)
    }

    /// Asks for all lists that are waited for. A wait that begins before the reply has its lists in the next BLPOP.
    private func ask() {
        let lists = state.withLock { state in Set(state.waiters.values.flatMap(\.lists)) }
        guard !lists.isEmpty else { return state.withLock { $0.isAsking = false } }
        var command = RESPCommand(count: lists.count + 2, capacity: 64 * lists.count + 64)
        command.append("BLPOP")
        for list in lists { command.append(list) }
        command.append(Self.blockSeconds)
        connection.send(command) { self.answered($0) }
    }

    private func answered(_ reply: Result<RESPValue, RedisError>) {
        let (list, hasFailed): (String?, Bool) =
            switch reply {
            case .success(.array(let parts)): (parts.first?.text, false)
            case .success(.error), .failure: (nil, true)
            case .success: (nil, false)
            }
        let (woken, asks) = state.withLock { state in
            var woken: [Waiter] = []
            if let list {
                for (number, waiter) in state.waiters where waiter.lists.contains(list) {
                    state.waiters[number] = nil
                    woken.append(waiter)
                }
                if woken.isEmpty { state.pending.insert(list) }
            }
            state.isAsking = !state.waiters.isEmpty
            return (woken, state.isAsking)
        }
        for waiter in woken { waiter.continuation.resume(returning: true) }
        guard asks else { return }
        if hasFailed {
            connection.eventLoop.scheduleTask(in: Self.retryDelay) { self.ask() }
        } else {
            ask()
        }
    }
}
