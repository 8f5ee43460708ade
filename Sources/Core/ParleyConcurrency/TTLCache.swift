/// A cache with a fixed, short lifetime and at most `capacity` entries.
///
/// Times are milliseconds of the caller's clock. The methods are inlinable so that each user has a specialised copy.
///
/// Two generations approximate an order of use: when the young one is full or old enough, it replaces the old one,
/// which is dropped as a whole. Every call is O(1).
package struct TTLCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline struct Entry: Sendable {
        @usableFromInline var value: Value
        @usableFromInline var storedAt: Int64

        @inlinable init(value: Value, storedAt: Int64) {
            self.value = value
            self.storedAt = storedAt
        }
    }

    /// Milliseconds; 0 or less disables the cache.
    package let lifetime: Int64
    @usableFromInline let generationSize: Int
    @usableFromInline var young: [Key: Entry] = [:]
    @usableFromInline var old: [Key: Entry] = [:]
    @usableFromInline var youngSince: Int64?

    package init(lifetime: Int64, capacity: Int) {
        self.lifetime = capacity > 0 ? lifetime : 0
        generationSize = max(1, capacity / 2)
    }

    /// The number of entries, expired ones included.
    @inlinable package var count: Int { young.count + old.count }

    /// The value, if it is not older than the lifetime. A clock that was set back makes it too old.
    @inlinable package func value(for key: Key, at now: Int64) -> Value? {
        guard let entry = young[key] ?? old[key], now >= entry.storedAt, now - entry.storedAt < lifetime else {
            return nil
        }
        return entry.value
    }

    @inlinable package mutating func store(_ value: Value, for key: Key, at now: Int64) {
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

    @inlinable package mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    /// Removes generations in which every entry has expired; the next `store` would, but there may be none.
    @inlinable package mutating func removeOld(at now: Int64) {
        guard let youngSince, now - youngSince >= lifetime else { return }
        old = [:]
        // Its entries were stored within one lifetime of its start.
        if now - youngSince >= 2 * lifetime { young = [:] }
    }

    @inlinable package mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
