import Synchronization

/// Decides which messages of this node are traced, and buffers stamps until they are written.
///
/// For a message that is not traced, only the end of its id is inspected. Stamps of traced messages enter a queue of at most
/// `limit` behind a mutex, and `run` writes them to the store, so that stamping never waits for the store.
package final class Tracer: Sendable {
    /// Samples no messages and keeps no stamps.
    package static let off = Tracer(node: "", every: 0, limit: 0, microseconds: { 0 })

    private let node: String
    private let every: UInt64
    private let limit: Int
    private let microseconds: @Sendable () -> Int64
    private let queue = Mutex<[(message: MessageID, stamp: TraceStamp)]>([])
    private let wakes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    ///   - node: the name of this node, without spaces.
    ///   - every: traces one message in this many; 0 traces only those requested.
    ///   - limit: maximum number of waiting stamps; further ones are dropped.
    ///   - microseconds: returns the current Unix time.
    package init(node: String, every: Int, limit: Int = 10_000, microseconds: @escaping @Sendable () -> Int64) {
        self.node = node
        self.every = UInt64(max(0, every))
        self.limit = limit
        self.microseconds = microseconds
    }

    /// Makes a message id, which carries the trace flag.
    /// - Parameter isAsked: traces the message in any case.
    package func messageID(_ clock: WallClock, isAsked: Bool = false) -> MessageID {
        var generator = SystemRandomNumberGenerator()
        return messageID(clock, isAsked: isAsked, using: &generator)
    }

    package func messageID(
        _ clock: WallClock, isAsked: Bool = false, using generator: inout some RandomNumberGenerator
    ) -> MessageID {
        MessageID(
            UUIDv7(
                milliseconds: clock.milliseconds, using: &generator, mark: MessageID.traceMark,
                isMarked: { isAsked || every > 0 && $0 % every == 0 }))
    }

    /// Records that a traced message passed a hop; does nothing for others. Callable from any thread.
    /// - Parameters:
    ///   - ago: microseconds since it passed.
    ///   - sockets: see `TraceStamp`.
    package func stamp(_ hop: TraceStamp.Hop, _ message: MessageID, ago: Int64 = 0, sockets: Int = 0) {
        guard limit > 0, message.isTraced else { return }
        let stamp = TraceStamp(hop, at: node, microseconds: microseconds() - max(0, ago), sockets: sockets)
        let isFirst = queue.withLock { queue in
            guard queue.count < limit else { return false }
            queue.append((message, stamp))
            return queue.count == 1
        }
        if isFirst { wakes.continuation.yield() }
    }

    /// Writes stamps until the task is cancelled, then writes the rest and returns.
    /// - Parameter pause: returns when stamps have been collected for long enough, some 20 ms, or the task is
    ///   cancelled.
    package func run(into store: any TraceStore, pause: @Sendable () async -> Void) async {
        for await _ in wakes.stream {
            await pause()
            await write(to: store)
        }
        await write(to: store)
    }

    private func write(to store: any TraceStore) async {
        let waiting = queue.withLock { queue in
            defer { queue = [] }
            return queue
        }
        for (message, entries) in Dictionary(grouping: waiting, by: \.message) {
            await store.add(entries.map(\.stamp), of: message)
        }
    }
}
