import Logging

/// The bound of the cache.
extension Engine {
    /// Measures the cache now and then, and removes what is over the limit.
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
            // Nothing depends on it; the next time may work.
            logger.warning("cannot trim the client's database", metadata: ["error": "\(error)"])
        }
    }

    /// What is to be removed, the oldest messages and notices of threads in which least has happened lately first. More than
    /// necessary, so that it is not done for each message.
    private func trims(_ counts: [String: Int]) throws -> [StoreChange] {
        var total = counts.values.reduce(0, +)
        guard total > configuration.cacheLimit else { return [] }
        let goal = configuration.cacheLimit / 10 * 9
        let threads = counts.keys.sorted { one, other in
            (core.threads[one]?.activity ?? 0, one) < (core.threads[other]?.activity ?? 0, other)
        }
        var kept = counts
        var limits: [String: Int] = [:]
        // A page of each is kept if there is room for it.
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
