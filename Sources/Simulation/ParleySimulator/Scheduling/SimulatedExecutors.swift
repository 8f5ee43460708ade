@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

/// The executors of Swift's runtime, instead of libdispatch's.
///
/// The runtime's hooks catch most jobs, but not all: `Task.sleep` and `Task.yield` turn to the default executor itself.
/// This one is not a `SchedulingExecutor`, so that `Task.sleep` falls back on the hooks.
enum SimulatedExecutors: ExecutorFactory {
    static let mainExecutor: any MainExecutor = Main()
    static let defaultExecutor: any TaskExecutor = Default()

    static func install() { _createExecutors(factory: Self.self) }

    private final class Default: TaskExecutor, SerialExecutor {
        func enqueue(_ job: consuming ExecutorJob) { Scheduler.enqueue(UnownedJob(job)) }
    }

    private final class Main: MainExecutor {
        func run() throws {}
        func stop() {}
        func enqueue(_ job: consuming ExecutorJob) { Scheduler.enqueue(UnownedJob(job)) }
    }
}
