/// Lets one operation per key run at a time; others wait in order of arrival.
package actor KeyedLock<Key: Hashable & Sendable> {
    /// Maximum number of waiters for one key.
    private let limit: Int
    /// The waiters of every locked key.
    private var waiting: [Key: [CheckedContinuation<Void, Never>]] = [:]

    package init(limit: Int) {
        self.limit = limit
    }

    /// Waits for the lock of `key`.
    /// - Returns: `false` at once if too many wait already; otherwise `give` must follow.
    package func take(_ key: Key) async -> Bool {
        guard let queue = waiting[key] else {
            waiting[key] = []
            return true
        }
        guard queue.count < limit else { return false }
        await withCheckedContinuation { waiting[key, default: []].append($0) }
        return true
    }

    /// Ends the operation: the next waiter gets the lock.
    package func give(_ key: Key) {
        if waiting[key]?.isEmpty ?? true {
            waiting[key] = nil
        } else {
            waiting[key]?.removeFirst().resume()
        }
    }
}
