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
        var keys: [String] = []
        /// Whether a BLPOP has no reply yet.
        var isAsking = false
        /// Whether an entry was awaited while nobody waited here.
        var isPending = false
        var waiter: CheckedContinuation<Bool, Never>?
        /// The number of waits; the timer of an earlier one must not end a later one.
        var waits = 0
    }

    /// How long Redis holds a BLPOP. Much less than the silence after which a connection counts as lost, since Redis
    /// replies to no PING meanwhile.
    private static let blockSeconds = 1

    private let connection: CommandConnection
    private let state = Mutex(State())

    /// - Parameter connection: used for nothing else, since it is blocked most of the time.
    init(_ connection: CommandConnection) {
        self.connection = connection
    }

    /// Waits until an entry is awaited, at most `limit`. Only one caller may wait at a time.
    /// - Parameter keys: the lists of the partitions that are read.
    /// - Returns: whether an entry is awaited; `false` also when the task is cancelled.
    func wait(for keys: [String], atMost limit: Duration) async -> Bool {
        let (number, isFirst) = state.withLock { state in
            defer { state.isStarted = true }
            state.waits += 1
            state.keys = keys
            return (state.waits, !state.isStarted)
        }
        if isFirst { connection.start() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (result, asks) = state.withLock { state -> (Bool?, Bool) in
                    if state.isPending {
                        state.isPending = false
                        return (true, false)
                    }
                    // Cancellation sets the flag before the handler below takes the lock, so one of the two sees it.
                    if Task.isCancelled { return (false, false) }
                    state.waiter = continuation
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

    /// Ends a wait that is not over.
    private func end(_ number: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.waits == number else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: false)
    }

    private func ask() {
        let keys = state.withLock(\.keys)
        var command = RESPCommand(count: keys.count + 2, capacity: 64 * keys.count + 64)
        command.append("BLPOP")
        for key in keys { command.append(key) }
        command.append(Self.blockSeconds)
        connection.send(command) { self.answered($0) }
    }

    private func answered(_ reply: Result<RESPValue, RedisError>) {
        let isAwaited = if case .success(.array) = reply { true } else { false }
        let (waiter, asks) = state.withLock { state -> (CheckedContinuation<Bool, Never>?, Bool) in
            state.isAsking = false
            guard isAwaited else {
                // After a failure the next wait asks again, so at most once in its time.
                if case .success(.null) = reply, state.waiter != nil { state.isAsking = true }
                return (nil, state.isAsking)
            }
            defer { state.waiter = nil }
            state.isPending = state.waiter == nil
            return (state.waiter, false)
        }
        waiter?.resume(returning: true)
        if asks { ask() }
    }
}
