import ParleyModel

/// Reads the log for the hub, and retries while the log is unavailable.
struct RetryingLog: Sendable {
    /// The wait before each further attempt: half a minute in all, as long as a send of a client may wait.
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

    /// The ends of threads, `nil` for a thread without events; a thread that could not be read is missing.
    func heads(of threads: [ThreadID]) async -> [ThreadID: ThreadHead?] {
        var heads: [ThreadID: ThreadHead?] = [:]
        if let all = try? await log.heads(of: threads) {
            for thread in threads { heads.updateValue(all[thread], forKey: thread) }
            return heads
        }
        // Some may be readable: the hosts of a log fail one by one.
        for thread in threads {
            do throws(AppendError) {
                heads.updateValue(try await log.head(of: thread), forKey: thread)
            } catch {
                // The first event of the thread gives its position.
            }
        }
        return heads
    }

    /// Where the log itself ends; `nil` if it could not be read: the next round of the head check retries.
    func ends(of threads: [ThreadID]) async -> [ThreadID: Position]? {
        try? await log.ends(of: threads)
    }
}
