package import Logging
package import ParleyModel
import ServiceLifecycle
import Synchronization

/// Moves read cursors for the sockets of this process, one after the other and as soon as possible.
///
/// The queue is bounded; marks of one user and thread that wait at the same time are merged.
package final class ReadMarkWriter: ReadMarks, Service {
    /// Maximum number of waiting calls.
    package static let limit = 10_000

    private let store: any MessageStore
    private let logger: Logger
    private let waiting = Mutex(ReadMarkQueue(limit: limit))
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    package init(store: any MessageStore, logger: Logger) {
        self.store = store
        self.logger = logger
        (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?, madeAt milliseconds: Int64,
        completion: @escaping @Sendable (Bool) -> Void
    ) {
        let mark = ReadMark(thread: thread, user: user, seq: seq, madeAt: milliseconds)
        let isTaken = waiting.withLock { $0.put(mark, completion) }
        if isTaken { wakeUp.yield() } else { completion(false) }
    }

    /// Writes until the task is cancelled or shut down, then writes the waiting marks.
    package func run() async throws {
        await withGracefulShutdownHandler {
            for await _ in wakeUps { await writeWaiting() }
            await writeWaiting()
        } onGracefulShutdown: {
            self.wakeUp.finish()
        }
    }

    private func writeWaiting() async {
        for entry in waiting.withLock({ $0.takeAll() }) {
            let mark = entry.mark
            var isWritten = false
            defer { for complete in entry.completions { complete(isWritten) } }
            do throws(StoreError) {
                try await store.markRead(mark.thread, by: mark.user, through: mark.seq, at: mark.milliseconds)
                isWritten = true
            } catch {
                // The reader's next mark makes up for it.
                logger.warning("read mark not written", metadata: ["reason": "\(error)"])
            }
        }
    }
}
