package import Metrics
import NIOCore
import ParleyChannels
package import ParleyModel
import ParleyRedisClient
import Synchronization

/// Appends read marks to the ingest stream of their thread's partition, where the persister finds them behind the
/// messages that were read.
///
/// Marks are collected behind a lock until the next write, so that many of one user and thread become one. Bounded by
/// `limit`; above it, and while Redis is unreachable, marks are dropped: the next one supersedes them.
package final class RedisReadMarks: ReadMarks {
    private let hosts: RedisHosts
    private let codec: ChannelsCodec
    private let clock: WallClock
    private let interval: TimeAmount
    private let waiting: Mutex<ReadMarkQueue>
    /// Read marks dropped: `parley_read_marks_dropped_total`.
    private let dropped: Counter

    /// - Parameters:
    ///   - interval: the time for which marks are collected.
    ///   - limit: the maximum number of waiting calls.
    package init(
        hosts: RedisHosts, interval: Duration = .milliseconds(50), limit: Int = 10_000, clock: WallClock = .system,
        metrics: any MetricsFactory
    ) {
        self.hosts = hosts
        self.clock = clock
        waiting = Mutex(ReadMarkQueue(limit: limit))
        self.interval = TimeAmount(interval)
        codec = ChannelsCodec(hosts.settings.channels)
        dropped = Counter(label: "parley_read_marks_dropped_total", factory: metrics)
    }

    package func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?, madeAt milliseconds: Int64,
        completion: @escaping @Sendable (Bool) -> Void
    ) {
        let mark = ReadMark(thread: thread, user: user, seq: seq, madeAt: milliseconds)
        let (isTaken, isFirst) = waiting.withLock { waiting in
            let isFirst = waiting.isEmpty
            return (waiting.put(mark, completion), isFirst)
        }
        guard isTaken else {
            dropped.increment()
            return completion(false)
        }
        // The timer runs on an arbitrary loop and keeps this object alive until it fires.
        if isFirst { _ = hosts.commands[0].eventLoop.scheduleTask(in: interval) { self.write {} } }
    }

    /// Writes the waiting marks and returns when Redis has replied or is unreachable; for shutdown.
    package func flush() async {
        let replies = AsyncStream.makeStream(of: Void.self)
        var missing = write { replies.continuation.yield() }
        guard missing > 0 else { return }
        for await _ in replies.stream {
            missing -= 1
            if missing == 0 { return }
        }
    }

    /// - Returns: the number of marks sent; `completion` is called for each.
    @discardableResult
    private func write(_ completion: @escaping @Sendable () -> Void) -> Int {
        let entries = waiting.withLock { $0.takeAll() }
        let seconds = clock.seconds
        var count = 0
        for entry in entries {
            let mark = entry.mark
            guard let payload = try? codec.encode(SignalPayload.value(of: mark), seconds: seconds) else {
                for completion in entry.completions { completion(false) }
                continue
            }
            let layout = hosts.layout
            var command = RESPCommand(count: 5)
            command.append("XADD")
            command.append(layout.names.ingest(layout.names.partition(of: mark.thread)))
            command.append("*")
            command.append("e")
            command.append(payload)
            count += 1
            hosts.commands[layout.host(of: mark.thread)].send(command) { [dropped] result in
                let isTaken = if case .success(.bulk) = result { true } else { false }
                if !isTaken { dropped.increment() }
                for complete in entry.completions { complete(isTaken) }
                completion()
            }
        }
        return count
    }
}
