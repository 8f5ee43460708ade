import Logging

/// The limit of the cache.
extension Engine {
    /// Measures the cache at intervals, and removes the excess.
    func boundCache(_ changes: [StoreChange]) {
        for change in changes {
            switch change {
            case .message, .notice: unmeasuredEntries += 1
            default: break
            }
        }
        guard unmeasuredEntries > configuration.cacheLimit / 20 else { return }
        unmeasuredEntries = 0
        do {
            try storage.apply(trims(try storage.cachedCounts()))
        } catch {
            // A failure is harmless; the next measurement tries again.
            logger.warning("cannot trim the client's database", metadata: ["error": "\(error)"])
        }
    }

    /// Selects the messages and notices to remove: the oldest ones of the least active threads. Selects more than
    /// necessary, so that the work is not repeated for each message.
    private func trims(_ counts: [String: Int]) throws -> [StoreChange] {
        var total = counts.values.reduce(0, +)
        guard total > configuration.cacheLimit else { return [] }
        let goal = configuration.cacheLimit / 10 * 9
        let threads = counts.keys.sorted { one, other in
            (core.threads[one]?.activity ?? 0, one) < (core.threads[other]?.activity ?? 0, other)
        }
        var kept = counts
        var limits: [String: Int] = [:]
        // Each thread keeps a page if there is room for it.
        for least in [configuration.pageSize, 1] {
            for thread in threads where total > goal {
                guard let count = kept[thread], count > least else { continue }
                let rest = max(least, count - (total - goal))
                guard let first = try storage.seq(ofNewest: rest, in: thread) else { continue }
                let shown = windows.values.filter { $0.thread == thread }.map(\.low).min() ?? first
                limits[thread] = min(first, shown)
                guard first <= shown else { continue }
                kept[thread] = rest
                total -= count - rest
            }
        }
        return limits.map { .trimMessages($0.key, below: $0.value) }
    }
}
