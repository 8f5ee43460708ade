/// Accepts read marks, and moves read cursors for sockets without waiting for the store.
package protocol ReadMarks: Sendable {
    /// Moves the read cursor of `user`. Never blocks.
    ///
    /// Of the waiting marks of one user and thread, only the last counts.
    /// - Parameters:
    ///   - seq: The new cursor, which may be lower than the current one; `nil` for the end of the stored log of `thread`.
    ///   - milliseconds: The time at which the mark was made, in Unix milliseconds. An older mark that arrives late does not
    ///     undo a newer one.
    ///   - completion: Called once, on any thread: with `true` when this mark, or a later one that replaced it, is durable;
    ///     with `false` if it may be lost because the queue is full or a backend is unavailable.
    func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?, madeAt milliseconds: Int64,
        completion: @escaping @Sendable (Bool) -> Void)
}

/// Read marks that wait to be written, with the completions of their callers. A value type.
///
/// Of the marks of one user and thread, only the last is kept. Every caller is notified, so the limit applies to calls rather
/// than marks: a client that marks the same thread repeatedly also fills the queue.
package struct ReadMarkQueue: Sendable {
    package typealias Completion = @Sendable (Bool) -> Void

    /// A mark that will be written, and the completions to call.
    package struct Entry: Sendable {
        package fileprivate(set) var mark: ReadMark
        package fileprivate(set) var completions: [Completion]
    }

    private struct Reader: Hashable {
        let thread: ThreadID
        let user: UserID
    }

    private let limit: Int
    private var entries: [Reader: Entry] = [:]
    private var count = 0

    /// - Parameter limit: The maximum number of calls of `put` between two of `takeAll`.
    package init(limit: Int) {
        self.limit = limit
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// - Returns: `false` if the queue is full. The mark is then dropped, and its completion is never called.
    package mutating func put(_ mark: ReadMark, _ completion: @escaping Completion) -> Bool {
        guard count < limit else { return false }
        count += 1
        let reader = Reader(thread: mark.thread, user: mark.user)
        entries[reader, default: Entry(mark: mark, completions: [])].mark = mark
        entries[reader]?.completions.append(completion)
        return true
    }

    /// Removes and returns all entries.
    package mutating func takeAll() -> [Entry] {
        defer {
            entries = [:]
            count = 0
        }
        return Array(entries.values)
    }
}
