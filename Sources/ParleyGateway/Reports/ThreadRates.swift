package import ParleyModel

/// Which threads are the busiest, in bounded memory, as a value.
///
/// Events are counted in turns by the algorithm of Misra and Gries (1982): of `capacity` threads at most, so a thread with a
/// share of more than `1/(capacity + 1)` of a turn's events is never missed, and no count is too low by more than that
/// share. What a turn has brought is taken into a rate that half forgets the turns before, so that a thread that goes
/// quiet is gone soon. An event costs one look-up; now and then all counts are gone through, at most once in
/// `capacity` events.
package struct ThreadRates: Sendable {
    /// What is slower than this is forgotten.
    private static let slowest = 0.01

    private let capacity: Int
    /// The events of this turn; some less for a thread that others have pushed aside.
    private var counts: [ThreadID: Int] = [:]
    /// Events per second, as it was at the end of the last turn.
    private var rates: [ThreadID: Double] = [:]

    /// - Parameter capacity: threads that are counted at a time, and rates that are kept.
    package init(capacity: Int = 256) {
        self.capacity = max(1, capacity)
        counts.reserveCapacity(self.capacity)
    }

    /// A thread has had an event.
    package mutating func count(_ thread: ThreadID) {
        if let index = counts.index(forKey: thread) {
            counts.values[index] += 1
        } else if counts.count < capacity {
            counts[thread] = 1
        } else {
            // The newcomer and one of each of the others go together.
            counts = counts.compactMapValues { $0 > 1 ? $0 - 1 : nil }
        }
    }

    /// A turn is over.
    /// - Parameters:
    ///   - seconds: how long it was; more than 0.
    ///   - limit: the most threads of the answer.
    /// - Returns: the busiest threads, the busiest first.
    package mutating func turn(seconds: Double, limit: Int) -> [ThreadRate] {
        guard seconds > 0 else { return [] }
        var next = rates.mapValues { $0 / 2 }
        for (thread, count) in counts {
            let rate = Double(count) / seconds
            // A thread that is new is as busy as it looks, not half so.
            next[thread] = next[thread].map { $0 + rate / 2 } ?? rate
        }
        counts.removeAll(keepingCapacity: true)
        let busiest = next.filter { $0.value >= Self.slowest }
            .sorted { ($1.value, $0.key.text) < ($0.value, $1.key.text) }.prefix(capacity)
        rates = Dictionary(uniqueKeysWithValues: busiest.map { ($0.key, $0.value) })
        return busiest.prefix(limit).map { ThreadRate(thread: $0.key, eventsPerSecond: $0.value) }
    }

    /// How many counts and rates are held, for a test of the bound.
    package var size: (counts: Int, rates: Int) { (counts.count, rates.count) }
}
