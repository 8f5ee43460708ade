package import ParleyModel

/// The events that wait to be taken into the log, as a value: in order for each thread, which has one turn at a time.
package struct AdoptionQueues<Item> {
    /// The result of `put`.
    package enum Verdict: Hashable, Sendable {
        /// The thread's turn begins: the caller takes until there is no more.
        case begins
        case waits
        /// Too many are waiting or being taken in.
        case refused
    }

    private let limit: Int
    /// A thread has an entry as long as it has a turn.
    private var waiting: [ThreadID: [Item]] = [:]
    private var count = 0

    /// - Parameter limit: the maximum number of events, over all threads, that wait or are being taken in.
    package init(limit: Int) {
        self.limit = limit
    }

    package mutating func put(_ item: Item, in thread: ThreadID) -> Verdict {
        guard count < limit else { return .refused }
        count += 1
        defer { waiting[thread, default: []].append(item) }
        return waiting[thread] == nil ? .begins : .waits
    }

    /// Takes the next events of a thread; if there are none, its turn is over. `finished` must follow.
    package mutating func take(_ thread: ThreadID, atMost limit: Int) -> [Item] {
        guard let items = waiting[thread], !items.isEmpty else {
            waiting[thread] = nil
            return []
        }
        waiting[thread]?.removeFirst(min(limit, items.count))
        return Array(items.prefix(limit))
    }

    /// This many of the taken events are done.
    package mutating func finished(_ number: Int) {
        count -= number
    }
}

extension AdoptionQueues: Sendable where Item: Sendable {}
