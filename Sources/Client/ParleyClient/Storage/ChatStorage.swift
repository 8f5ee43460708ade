/// The storage of a client's outbox and cache. One queue at a time uses it; calls block.
package protocol ChatStorage: Sendable {
    /// Returns the stored state of the core.
    func load() throws -> StoredState
    /// Applies all changes or none. They survive the end of the process when this method returns.
    func apply(_ changes: [StoreChange]) throws
    /// Returns cached messages of a range, ascending. If there are more than `limit`, returns the newest or the oldest.
    func messages(in thread: String, from: Int, to: Int, limit: Int, newest: Bool) throws -> [StoredMessage]
    /// Returns cached notices of a range, ascending. If there are more than `limit`, returns the newest.
    func notices(in thread: String, from: Int, to: Int, limit: Int) throws -> [ChatNotice]
    /// Returns the cached range that contains `seq`.
    func range(in thread: String, containing seq: Int) throws -> ClosedRange<Int>?
    func message(in thread: String, seq: Int) throws -> StoredMessage?
    /// Returns the newest message with this ID or `client_id`.
    func message(in thread: String, named id: String) throws -> StoredMessage?
    func newestMessage(in thread: String) throws -> StoredMessage?
    /// Returns the `seq` of the oldest of the newest `count` messages and notices; `nil` if there are fewer, or if
    /// `count` is 0.
    func seq(ofNewest count: Int, in thread: String) throws -> Int?
    /// Counts the cached messages after `seq` that are not deleted and not from this user.
    func unread(in thread: String, after seq: Int, by user: String) throws -> Int
    /// Counts the cached messages and notices, by thread.
    func cachedCounts() throws -> [String: Int]
    /// Closes the storage, so that another client can open it. Later calls have no effect, and may throw.
    func close()
}

/// The stored state of the core.
package struct StoredState: Sendable {
    package var account: ChatUser?
    package var threads: [ThreadRecord] = []
    package var outbox: [ClientOutboxEntry] = []
    /// The IDs of the users that the user blocks.
    package var blocks: [String] = []
}

/// Disjoint ranges that do not touch each other, ascending.
package struct SeqRanges: Hashable, Sendable {
    package private(set) var ranges: [ClosedRange<Int>] = []

    package init(_ ranges: [ClosedRange<Int>] = []) { self.ranges = ranges }

    /// Adds a range, and joins it with the ranges that it overlaps or touches.
    package mutating func insert(_ range: ClosedRange<Int>) {
        var merged = range
        let first = ranges.firstIndex { $0.upperBound + 1 >= range.lowerBound } ?? ranges.endIndex
        var last = first
        while last < ranges.endIndex, ranges[last].lowerBound <= range.upperBound + 1 {
            merged = min(merged.lowerBound, ranges[last].lowerBound)...max(merged.upperBound, ranges[last].upperBound)
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: [merged])
    }

    /// Removes the part below a `seq`.
    package mutating func remove(below seq: Int) {
        ranges = ranges.compactMap { $0.upperBound < seq ? nil : max($0.lowerBound, seq)...$0.upperBound }
    }

    package func range(containing seq: Int) -> ClosedRange<Int>? { ranges.first { $0.contains(seq) } }
}
