package import ParleyModel

/// The events that wait to be added to the log, as a value: one ordered queue for each thread, which has one turn at a time.
package struct AdoptionQueues<Item> {
    /// The result of `put`.
    package enum Verdict: Hashable, Sendable {
        /// The thread's turn begins. The caller takes events until there are no more.
        case begins
        case waits
        /// Too many events are waiting or being added.
        case refused
    }

    private let limit: Int
    /// The queues. A thread has an entry while it has a turn.
    private var waiting: [ThreadID: [Item]] = [:]
    private var count = 0

    /// - Parameter limit: The maximum number of events, over all threads, that wait or are being added.
    package init(limit: Int) {
        self.limit = limit
    }

    package mutating func put(_ item: Item, in thread: ThreadID) -> Verdict {
        guard count < limit else { return .refused }
        count += 1
        defer { waiting[thread, default: []].append(item) }
        return waiting[thread] == nil ? .begins : .waits
    }

    /// Takes the next events of a thread. If there are none, its turn is over. A call of `finished` must follow.
    package mutating func take(_ thread: ThreadID, atMost limit: Int) -> [Item] {
        guard let items = waiting[thread], !items.isEmpty else {
            waiting[thread] = nil
            return []
        }
        waiting[thread]?.removeFirst(min(limit, items.count))
        return Array(items.prefix(limit))
    }

    /// Reports that this many of the taken events are done.
    package mutating func finished(_ number: Int) {
        count -= number
    }
}

extension AdoptionQueues: Sendable where Item: Sendable {}
