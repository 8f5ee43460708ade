/// A cache with a fixed, short lifetime and at most `capacity` entries.
///
/// Two generations approximate an order of use: when the young one is full or old enough, it replaces the old one,
/// which is dropped whole. Every call is O(1).
package struct TTLCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var storedAt: Int64
    }

    /// Milliseconds; 0 or less disables the cache.
    package let lifetime: Int64
    private let generationSize: Int
    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    private var youngSince: Int64?

    package init(lifetime: Int64, capacity: Int) {
        self.lifetime = capacity > 0 ? lifetime : 0
        generationSize = max(1, capacity / 2)
    }

    /// The number of entries held, expired ones included.
    package var count: Int { young.count + old.count }

    /// The value, if it is within its lifetime. A value from the future, after the clock was set back, counts as
    /// expired.
    package func value(for key: Key, at now: Int64) -> Value? {
        guard let entry = young[key] ?? old[key], now >= entry.storedAt, now - entry.storedAt < lifetime else {
            return nil
        }
        return entry.value
    }

    /// Caches a value for `lifetime` from `now`, in Unix milliseconds.
    package mutating func store(_ value: Value, for key: Key, at now: Int64) {
        guard lifetime > 0 else { return }
        let isNew = young[key] == nil
        let isYoung = youngSince.map { now >= $0 && now - $0 < lifetime } ?? false
        if !isYoung || (isNew && young.count >= generationSize) {
            old = young
            young = [:]
            youngSince = now
        }
        // A key is never in both generations, so that `count` is exact and a removal is complete.
        old[key] = nil
        young[key] = Entry(value: value, storedAt: now)
    }

    package mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    /// Drops expired generations. The next `store` would do so, but none may come.
    package mutating func removeOld(at now: Int64) {
        guard let youngSince, now - youngSince >= lifetime else { return }
        old = [:]
        // Its entries were stored within one lifetime of its start.
        if now - youngSince >= 2 * lifetime { young = [:] }
    }

    package mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
