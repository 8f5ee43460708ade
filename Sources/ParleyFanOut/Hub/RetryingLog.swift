import ParleyModel

/// Reads the log for the hub, and reads again while the log is away.
struct RetryingLog: Sendable {
    /// How long to wait before each further try: half a minute in all, as long as a client's sends may wait.
    static let timeout: [Duration] =
        [.milliseconds(100), .milliseconds(400)] + Array(repeating: .seconds(1), count: 30)

    let log: any MessageLog
    let timeout: [Duration]

    /// Up to `limit` events after a seq; `nil` if the log could not be read.
    func events(in thread: ThreadID, after: Int64, limit: Int) async -> LogSlice? {
        for wait in timeout {
            if let slice = try? await log.events(in: thread, after: after, limit: limit) { return slice }
            // Fails when the node goes down.
            guard (try? await Task.sleep(for: wait)) != nil else { return nil }
        }
        return try? await log.events(in: thread, after: after, limit: limit)
    }

    /// The newest `limit` of all events after a seq; empty if the log could not be read.
    func newest(in thread: ThreadID, after: Int64, limit: Int) async -> [LogEvent] {
        var newest: [LogEvent] = []
        var position = after
        while let events = await events(in: thread, after: position, limit: limit)?.events, let last = events.last {
            newest = (newest + events).suffix(limit)
            guard events.count >= limit else { break }
            position = last.position.seq
        }
        return newest
    }

    /// The ends of threads; one that could not be read is missing.
    func heads(of threads: [ThreadID]) async -> [ThreadID: ThreadHead?] {
        var heads: [ThreadID: ThreadHead?] = [:]
        if let all = try? await log.heads(of: threads) {
            for thread in threads { heads.updateValue(all[thread], forKey: thread) }
            return heads
        }
        // Some of them may be had all the same: not all of a log has to be away.
        for thread in threads {
            do throws(AppendError) {
                heads.updateValue(try await log.head(of: thread), forKey: thread)
            } catch {
                // Its first event will say where it is.
            }
        }
        return heads
    }

    /// Where the log itself ends; `nil` if it could not be read, which the next round makes good.
    func ends(of threads: [ThreadID]) async -> [ThreadID: Position]? {
        try? await log.ends(of: threads)
    }
}
