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

    private let store: any MessageStore
    private let logger: Logger
    private let waiting = Mutex<[Reader: Int64?]>([:])
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    package init(store: any MessageStore, logger: Logger) {
        self.store = store
        self.logger = logger
        (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package func markRead(_ thread: ThreadID, by user: UserID, through seq: Int64?) -> Bool {
        let isTaken = waiting.withLock { waiting in
            guard waiting.count < Self.limit else { return false }
            waiting.updateValue(seq, forKey: Reader(thread: thread, user: user))
            return true
        }
        if isTaken { wakeUp.yield() }
        return isTaken
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
        for (reader, seq) in marks {
            do throws(StoreError) {
                try await store.markRead(reader.thread, by: reader.user, through: seq)
            } catch {
                // The next mark of this reader makes up for it.
                logger.warning("Read mark not written", metadata: ["reason": "\(error)"])
            }
        }
    }
}
