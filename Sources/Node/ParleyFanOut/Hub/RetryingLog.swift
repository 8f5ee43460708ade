import ParleyModel

/// Reads the log for the hub, and retries while the log is unavailable.
struct RetryingLog: Sendable {
    /// The waits before further attempts: half a minute in total, the same as the maximum wait of a client's send.
    static let timeout: [Duration] =
        [.milliseconds(100), .milliseconds(400)] + Array(repeating: .seconds(1), count: 30)

    let log: any MessageLog
    let timeout: [Duration]

    /// Returns up to `limit` events after a `seq`; `nil` if the log could not be read.
    func events(in thread: ThreadID, after: Int64, limit: Int) async -> LogSlice? {
        for wait in timeout {
            if let slice = try? await log.events(in: thread, after: after, limit: limit) { return slice }
            // The sleep fails when the node shuts down.
            guard (try? await Task.sleep(for: wait)) != nil else { return nil }
        }
        return try? await log.events(in: thread, after: after, limit: limit)
    }

    /// Returns the newest `limit` of all events after a `seq`; no events if the log could not be read.
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

    /// Returns the heads of threads; `nil` for a thread without events. An unreadable thread is missing.
    func heads(of threads: [ThreadID]) async -> [ThreadID: ThreadHead?] {
        var heads: [ThreadID: ThreadHead?] = [:]
        if let all = try? await log.heads(of: threads) {
            for thread in threads { heads.updateValue(all[thread], forKey: thread) }
            return heads
        }
        // Some threads may be readable, because the hosts of a log fail independently.
        for thread in threads {
            do throws(AppendError) {
                heads.updateValue(try await log.head(of: thread), forKey: thread)
            } catch {
                // The first event of the thread provides its position.
            }
        }
        return heads
    }

    /// Returns the ends of the logs themselves; `nil` if they could not be read. The next round of the head check tries
    /// again.
    func ends(of threads: [ThreadID]) async -> [ThreadID: Position]? {
        try? await log.ends(of: threads)
    }
}
