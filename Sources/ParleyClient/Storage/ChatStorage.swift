/// Where a client keeps its outbox and cache. Used by one queue at a time; calls block.
package protocol ChatStorage: Sendable {
    /// What the core continues with.
    func load() throws -> StoredState
    /// All changes or none; they survive the death of the process when this returns.
    func apply(_ changes: [StoreChange]) throws
    /// Cached messages of these places, ascending: the newest, or the oldest, if there are more than `limit`.
    func messages(in thread: String, from: Int, to: Int, limit: Int, newest: Bool) throws -> [StoredMessage]
    /// Cached notices of these places, ascending: the newest, if there are more than `limit`.
    func notices(in thread: String, from: Int, to: Int, limit: Int) throws -> [ChatNotice]
    /// The range of cached places that contains `seq`.
    func range(in thread: String, containing seq: Int) throws -> ClosedRange<Int>?
    func message(in thread: String, seq: Int) throws -> StoredMessage?
    /// The newest message with this id or `client_id`.
    func message(in thread: String, named id: String) throws -> StoredMessage?
    func newestMessage(in thread: String) throws -> StoredMessage?
    /// The place of the oldest of the newest `count` cached messages and notices; `nil` if there are fewer, or for 0.
    func seq(ofNewest count: Int, in thread: String) throws -> Int?
    /// How many messages after `seq` are cached that are not by this user and not deleted.
    func unread(in thread: String, after seq: Int, by user: String) throws -> Int
    /// How many messages and notices are cached, by thread.
    func cachedCounts() throws -> [String: Int]
    /// Lets another client open it. Calls that follow have no effect, and may throw.
    func close()
}

/// What the core continues with.
package struct StoredState: Sendable {
    package var account: ChatUser?
    package var threads: [ThreadRecord] = []
    package var outbox: [ClientOutboxEntry] = []
}

/// Disjoint ranges that do not touch each other, ascending.
package struct SeqRanges: Hashable, Sendable {
    package private(set) var ranges: [ClosedRange<Int>] = []

    package init(_ ranges: [ClosedRange<Int>] = []) { self.ranges = ranges }

    /// Adds a range, and joins it with those that it overlaps or touches.
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

    /// Removes what is below a place.
    package mutating func remove(below seq: Int) {
        ranges = ranges.compactMap { $0.upperBound < seq ? nil : max($0.lowerBound, seq)...$0.upperBound }
    }

    package func range(containing seq: Int) -> ClosedRange<Int>? { ranges.first { $0.contains(seq) } }
}
