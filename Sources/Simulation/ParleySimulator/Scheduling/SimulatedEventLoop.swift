import CSimulator
package import Dispatch
package import NIOCore

/// An event loop of a simulated process. Its tasks run in their order, one at a time, among everything else of the
/// scheduler.
///
/// Confined to the simulator's only thread.
package final class SimulatedEventLoop: EventLoop, @unchecked Sendable {
    // `@unchecked Sendable`: the simulator has one thread.
    let process: SimulatedProcess
    private let scheduler: Scheduler
    private var tasks: [() -> Void] = []
    private var next = 0
    private var isRunning = false

    package init(_ process: SimulatedProcess, on scheduler: Scheduler) {
        self.process = process
        self.scheduler = scheduler
    }

    package var inEventLoop: Bool { isRunning }
    package var now: NIODeadline { .uptimeNanoseconds(UInt64(simulator_now())) }

    package func execute(_ task: @escaping @Sendable () -> Void) { enqueue(task) }

    private func enqueue(_ task: @escaping () -> Void) {
        tasks.append(task)
        // Otherwise the scheduler has the loop already.
        if tasks.count - next == 1, !isRunning { scheduler.add(.loop(self)) }
    }

    /// Runs the first task.
    func runNext() {
        guard next < tasks.count else { return }
        let task = tasks[next]
        next += 1
        if next > 64, next * 2 > tasks.count {
            tasks.removeFirst(next)
            next = 0
        }
        isRunning = true
        task()
        isRunning = false
        if next < tasks.count { scheduler.add(.loop(self)) }
    }

    package func scheduleTask<T>(deadline: NIODeadline, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        schedule(at: Int64(clamping: deadline.uptimeNanoseconds), task)
    }

    package func scheduleTask<T>(in amount: TimeAmount, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        schedule(at: simulator_now() + max(0, amount.nanoseconds), task)
    }

    private func schedule<T>(at due: Int64, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        let promise = makePromise(of: T.self)
        let flag = Cancellation()
        scheduler.add(
            .call(process) { [self] in
                guard !flag.isCancelled else { return }
                enqueue {
                    guard !flag.isCancelled else { return }
                    do { promise.assumeIsolated().succeed(try task()) } catch { promise.fail(error) }
                }
            }, at: due)
        return Scheduled(promise: promise, cancellationTask: { flag.isCancelled = true })
    }

    private final class Cancellation: @unchecked Sendable {
        // `@unchecked Sendable`: the simulator has one thread.
        var isCancelled = false
    }

    package func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
        callback(EventLoopError.unsupportedOperation)
    }
}
