package import ParleyModel
import Synchronization

/// Counts the events of the bus by thread.
///
/// Its state is owned by a mutex, which is taken once for each event of the node, not for each delivery.
package final class EventMeter: Sendable {
    /// The events of one turn.
    package struct Turn: Hashable, Sendable {
        /// Events of threads.
        package var events = 0
        /// The busiest first.
        package var busiest: [ThreadRate] = []
    }

    private struct State {
        var rates = ThreadRates()
        var events = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Ends a turn; see `ThreadRates.turn`.
    package func turn(seconds: Double, limit: Int) -> Turn {
        state.withLock { state in
            defer { state.events = 0 }
            return Turn(events: state.events, busiest: state.rates.turn(seconds: seconds, limit: limit))
        }
    }

    /// Counts an event of a thread.
    package func count(_ thread: ThreadID) {
        state.withLock { state in
            state.events += 1
            state.rates.count(thread)
        }
    }
}

/// The rates of the busiest threads, in bounded memory, as a value.
///
/// Events are counted in turns by the algorithm of Misra and Gries (1982), for at most `capacity` threads: a thread
/// with a share of more than `1/(capacity + 1)` of a turn's events is never missed, and no count is too low by more
/// than that share. Each turn halves the weight of the turns before, so that a thread that goes quiet is dropped soon.
/// An event costs one look-up; all counts are scanned at most once in `capacity` events.
package struct ThreadRates: Sendable {
    /// Events per second below which a thread is dropped: the console, which shows one decimal, would show 0.
    private static let slowest = 0.05

    private let capacity: Int
    /// The events of this turn; too low for a thread that others have displaced.
    private var counts: [ThreadID: Int] = [:]
    /// Events per second at the end of the last turn.
    private var rates: [ThreadID: Double] = [:]

    /// - Parameter capacity: the most threads that are counted, and the most rates that are kept.
    package init(capacity: Int = 256) {
        self.capacity = max(1, capacity)
        counts.reserveCapacity(self.capacity)
    }

    /// Counts an event of a thread.
    package mutating func count(_ thread: ThreadID) {
        if let index = counts.index(forKey: thread) {
            counts.values[index] += 1
        } else if counts.count < capacity {
            counts[thread] = 1
        } else {
            // The new event cancels one event of each counted thread.
            counts = counts.compactMapValues { $0 > 1 ? $0 - 1 : nil }
        }
    }

    /// Ends a turn.
    /// - Parameters:
    ///   - seconds: how long it was; more than 0.
    ///   - limit: the most threads of the answer.
    /// - Returns: the busiest threads, the busiest first.
    package mutating func turn(seconds: Double, limit: Int) -> [ThreadRate] {
        guard seconds > 0 else { return [] }
        var next = rates.mapValues { $0 / 2 }
        for (thread, count) in counts {
            let rate = Double(count) / seconds
            // The first rate of a thread is not halved.
            next[thread] = next[thread].map { $0 + rate / 2 } ?? rate
        }
        counts.removeAll(keepingCapacity: true)
        let busiest = next.filter { $0.value >= Self.slowest }
            .sorted { ($1.value, $0.key.text) < ($0.value, $1.key.text) }.prefix(capacity)
        rates = Dictionary(uniqueKeysWithValues: busiest.map { ($0.key, $0.value) })
        return busiest.prefix(limit).map { ThreadRate(thread: $0.key, eventsPerSecond: $0.value) }
    }

    /// The number of counts and rates, for a test of the bound.
    package var size: (counts: Int, rates: Int) { (counts.count, rates.count) }
}
