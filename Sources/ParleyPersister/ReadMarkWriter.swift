package import Logging
package import ParleyModel
import ServiceLifecycle
import Synchronization

/// Moves read cursors for the sockets of this process, one after the other and each as soon as possible.
///
/// What waits is bounded; marks of one user and thread that wait at the same time become one.
package final class ReadMarkWriter: ReadMarks, Service {
    /// The most marks that wait.
    package static let limit = 10_000

    private struct Reader: Hashable {
        let thread: ThreadID
        let user: UserID
    }

    /// The last mark of a reader, and all who want to know what becomes of it.
    private struct Waiting: Sendable {
        var seq: Int64?
        var completions: [@Sendable (Bool) -> Void] = []
    }

    private let store: any MessageStore
    private let logger: Logger
    private let waiting = Mutex<[Reader: Waiting]>([:])
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    package init(store: any MessageStore, logger: Logger) {
        self.store = store
        self.logger = logger
        (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?, completion: @escaping @Sendable (Bool) -> Void
    ) {
        let isTaken = waiting.withLock { waiting in
            guard waiting.count < Self.limit else { return false }
            var entry = waiting[Reader(thread: thread, user: user)] ?? Waiting()
            entry.seq = seq
            entry.completions.append(completion)
            waiting[Reader(thread: thread, user: user)] = entry
            return true
        }
        if isTaken { wakeUp.yield() } else { completion(false) }
    }

    /// Writes until the task is cancelled or shut down; what waits then is written first.
    package func run() async throws {
        await withGracefulShutdownHandler {
            for await _ in wakeUps { await writeWaiting() }
            await writeWaiting()
        } onGracefulShutdown: {
            self.wakeUp.finish()
        }
    }

    private func writeWaiting() async {
        let marks = waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting
        }
        for (reader, entry) in marks {
            var isWritten = false
            defer { for tell in entry.completions { tell(isWritten) } }
            do throws(StoreError) {
                try await store.markRead(reader.thread, by: reader.user, through: entry.seq)
                isWritten = true
            } catch {
                // The next mark of this reader makes up for it.
                logger.warning("Read mark not written", metadata: ["reason": "\(error)"])
            }
        }
    }
}
