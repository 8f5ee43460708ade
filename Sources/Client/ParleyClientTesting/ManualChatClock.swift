public import Foundation
public import ParleyClient

/// A clock that stands still until a test advances it. A lock guards the state.
///
/// The delays of a client begin when it processes an event, so wait for the event before you advance the clock:
///
/// ```swift
/// server.goOffline()
/// _ = await client.states.first { if case .offline(.some) = $0 { true } else { false } }
/// server.goOnline()
/// clock.advance(by: .seconds(60))
/// _ = await client.states.first { $0 == .connected }
/// ```
///
/// Where no state shows that something waits, ``sleeper(within:)`` does.
public final class ManualChatClock: ChatClock {
    private struct State {
        var uptime = Duration.zero
        var lastSleeper = 0
        var sleepers: [Int: (until: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var watchers: [Int: (within: Duration, continuation: CheckedContinuation<Void, Never>)] = [:]

        /// Whether a task waits for a time at most this far away.
        func hasSleeper(within duration: Duration) -> Bool {
            sleepers.values.contains { $0.until <= uptime + duration }
        }

        /// Removes the watchers that have seen what they wait for.
        mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
            let done = watchers.filter { hasSleeper(within: $0.value.within) }
            for number in done.keys { watchers[number] = nil }
            return done.values.map(\.continuation)
        }
    }

    private let start: Date
    private let state = Locked(State())

    /// Creates a clock.
    /// - Parameter start: The date at the uptime 0.
    public init(start: Date = Date(timeIntervalSince1970: 1_800_000_000)) { self.start = start }

    /// The sum of what the clock was advanced by.
    public var uptime: Duration { state.withLock { $0.uptime } }

    /// The date at the current uptime.
    public var date: Date {
        let (seconds, attoseconds) = uptime.components
        return start.addingTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
    }

    /// The number of tasks that wait for a time.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Lets time pass, and wakes what waits for it.
    /// - Parameter duration: The duration, at least zero.
    public func advance(by duration: Duration) {
        let awake = state.withLock { state in
            state.uptime += max(duration, .zero)
            let due = state.sleepers.filter { $0.value.until <= state.uptime }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.sorted { $0.until < $1.until }.map(\.continuation)
        }
        for continuation in awake { continuation.resume() }
    }

    /// Returns as soon as a task waits for a time that is not further away than a duration.
    ///
    /// ```swift
    /// server.refuseSends(code: .rateLimited, retryAfter: .seconds(7))
    /// try await client.send("patience", to: garden)
    /// await clock.sleeper(within: .seconds(7))
    /// clock.advance(by: .seconds(7))
    /// ```
    /// - Parameter duration: The duration, for example the pause that a test expects.
    public func sleeper(within duration: Duration) async {
        let number = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isDone = state.withLock { state in
                    if Task.isCancelled || state.hasSleeper(within: duration) { return true }
                    state.watchers[number] = (duration, continuation)
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.watchers.removeValue(forKey: number) }?.continuation.resume()
        }
    }

    /// Waits until ``uptime`` reaches a value.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until uptime: Duration) async throws {
        let number = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                var watchers: [CheckedContinuation<Void, Never>] = []
                let isCancelled: Bool? = state.withLock { state in
                    if Task.isCancelled { return true }
                    if state.uptime >= uptime { return false }
                    state.sleepers[number] = (uptime, continuation)
                    watchers = state.takeWatchers()
                    return nil
                }
                for watcher in watchers { watcher.resume() }
                switch isCancelled {
                case true?: continuation.resume(throwing: CancellationError())
                case false?: continuation.resume()
                case nil: break
                }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
