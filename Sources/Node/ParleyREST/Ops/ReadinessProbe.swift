import Synchronization

/// Runs readiness checks with a time limit.
///
/// One check runs at a time, and all concurrent callers share it. A database that does not respond therefore costs one task,
/// however often `/readyz` is called. A `Mutex` protects the state.
package final class ReadinessProbe<Report: Sendable>: Sendable {
    private struct State {
        /// The check in progress.
        var task: Task<Void, Never>?
        var waiting: [UInt64: CheckedContinuation<Report?, Never>] = [:]
        var number: UInt64 = 0
    }

    private let limit: Duration
    private let late: Report
    private let readiness: @Sendable () async -> Report
    private let pause: @Sendable (Duration) async -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: The maximum duration of a call.
    ///   - late: The report of a call that takes longer.
    ///   - pause: Waits for the limit, and returns early when its task is cancelled.
    package init(
        limit: Duration, late: Report, readiness: @escaping @Sendable () async -> Report,
        pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.limit = limit
        self.late = late
        self.readiness = readiness
        self.pause = pause
    }

    package func report() async -> Report {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        return await withTaskGroup(of: Report?.self) { group in
            group.addTask { await self.reply(to: number) }
            group.addTask { [pause, limit] in
                await pause(limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? late
        }
    }

    /// Waits for the check in progress, or for a new one. Returns `nil` if cancelled.
    private func reply(to number: UInt64) async -> Report? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isTooLate = state.withLock { state in
                    // A cancellation after this point finds the waiter.
                    if Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    if state.task == nil { state.task = Task { await self.check() } }
                    return false
                }
                if isTooLate { continuation.resume(returning: nil) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: nil)
        }
    }

    private func check() async {
        let report = await readiness()
        let waiting = state.withLock { state in
            state.task = nil
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for waiter in waiting { waiter.resume(returning: report) }
    }
}

extension ReadinessProbe where Report == [String] {
    package convenience init(
        limit: Duration = .seconds(2), readiness: @escaping @Sendable () async -> [String],
        pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.init(limit: limit, late: ["slow: no answer within \(limit)"], readiness: readiness, pause: pause)
    }

    /// Returns the reasons that the checked part is not ready, or an empty array if it is ready.
    package func reasons() async -> [String] { await report() }
}

extension ReadinessProbe where Report == ReadinessReport {
    convenience init(readiness: @escaping @Sendable () async -> ReadinessReport) {
        let limit = Duration.seconds(2)
        self.init(
            limit: limit, late: ReadinessReport(reasons: ["slow: no answer within \(limit)"]), readiness: readiness)
    }
}
