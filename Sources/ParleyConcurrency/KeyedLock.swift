/// Lets one operation of a key run at a time; the others wait in the order of their coming.
package actor KeyedLock<Key: Hashable & Sendable> {
    /// Maximum number of waiters for one key.
    private let limit: Int
    /// The waiters of every locked key.
    private var waiting: [Key: [CheckedContinuation<Void, Never>]] = [:]

    package init(limit: Int) {
        self.limit = limit
    }

    /// Waits for the turn of `key`.
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

    /// The operation is over: the next one's turn.
    package func give(_ key: Key) {
        if waiting[key]?.isEmpty ?? true {
            waiting[key] = nil
        } else {
            waiting[key]?.removeFirst().resume()
        }
    }
}
