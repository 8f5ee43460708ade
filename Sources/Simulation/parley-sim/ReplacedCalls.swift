import CSimulatedCalls
import Glibc
import NIOCore
import ParleySimulator

/// Verifies that nodes use the clocks and generators of the simulation.
struct ReplacedCalls {
    /// The calls that are not replaced; empty if all are.
    static func escapes() -> [String] {
        let scheduler = Scheduler(seed: 1)
        let before = (ContinuousClock.now, SuspendingClock.now, NIODeadline.now(), time(nil), wallNanoseconds())
        let drawn = UInt64.random(in: .min ... .max)
        scheduler.run(until: scheduler.now + 5_000_000_000)
        let second = 1_000_000_000 as Int64
        var escapes: [String] = []
        if ContinuousClock.now - before.0 != .seconds(5) { escapes.append("ContinuousClock") }
        if SuspendingClock.now - before.1 != .seconds(5) { escapes.append("SuspendingClock") }
        if NIODeadline.now() - before.2 != .seconds(5) { escapes.append("NIODeadline") }
        if time(nil) - before.3 != 5 { escapes.append("time") }
        if wallNanoseconds() - before.4 != 5 * second { escapes.append("clock_gettime") }
        // The same number each time the program runs.
        if drawn != 3_522_635_317_881_516_143 { escapes.append("SystemRandomNumberGenerator: \(drawn)") }
        if simulated_clock_calls() == 0 || simulated_random_calls() == 0 { escapes.append("the C library") }
        return escapes
    }

    private static func wallNanoseconds() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    /// Whether tasks run in virtual time: a sleep of an hour, a yield, an actor.
    static func tasksRun() -> Bool {
        let scheduler = Scheduler(seed: 1)
        nonisolated(unsafe) var steps: [String] = []
        scheduler.call {
            Task.detached {
                await Task.yield()
                steps.append("yielded")
                try? await Task.sleep(for: .seconds(3600))
                steps.append("slept")
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<3 { group.addTask { await Counter.shared.increment() } }
                }
                if await Counter.shared.count == 3 { steps.append("counted") }
            }
        }
        scheduler.run(until: scheduler.now + 3_601_000_000_000)
        return steps == ["yielded", "slept", "counted"]
    }

    private actor Counter {
        static let shared = Counter()
        private(set) var count = 0
        func increment() { count += 1 }
    }
}
