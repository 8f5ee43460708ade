package import NIOCore

/// Runs tasks on an event loop: what is short and wants to go back there soon anyway need not wake other threads.
///
/// A task that prefers it is on the loop between its awaits, actors of the default kind included, so it must not
/// compute for long there.
package final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    package init(_ loop: any EventLoop) {
        self.loop = loop
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
