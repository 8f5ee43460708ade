/// The calls of a store that use or await its connections, as a value: who gets the next connection.
///
/// The call that has waited longest goes first among those whose class may take a connection (`CallShares`); within a
/// class, calls are thus served in order of arrival. The number of waiting calls of each class is bounded. `Instant` is
/// a time by the clock of the owner.
package struct CallQueue<Caller: Sendable, Instant: Comparable & Sendable>: Sendable {
    /// A waiting call.
    package struct Waiter: Sendable {
        /// Chosen by the owner; no two calls have the same.
        package let number: UInt64
        package let kind: CallClass
        /// When the call gives up.
        package let until: Instant
        package let caller: Caller

        package init(number: UInt64, kind: CallClass, until: Instant, caller: Caller) {
            self.number = number
            self.kind = kind
            self.until = until
            self.caller = caller
        }
    }

    /// The answer to a call that asks for a connection.
    package enum Answer: Hashable, Sendable {
        /// It has one.
        case granted
        case waits
        /// Too many calls of its class are waiting: this number.
        case refused(waiting: Int)
    }

    package private(set) var shares: CallShares
    private let limit: Int
    private var waiters: [Waiter] = []

    /// - Parameter limit: the most calls of a class that wait at once.
    package init(_ shares: CallShares, limit: Int) {
        self.shares = shares
        self.limit = limit
    }

    /// The number of waiting calls.
    package var count: Int { waiters.count }

    /// The earliest time at which a waiting call gives up; `nil` if none waits.
    package var nextDeadline: Instant? { waiters.lazy.map(\.until).min() }

    /// A call asks for a connection.
    package mutating func ask(_ waiter: Waiter) -> Answer {
        if shares.admits(waiter.kind) {
            shares.take(waiter.kind)
            return .granted
        }
        let most = waiter.kind == .searching ? min(limit, CallShares.maximumSearches) : limit
        guard waiters.count(where: { $0.kind == waiter.kind }) < most else { return .refused(waiting: most) }
        waiters.append(waiter)
        return .waits
    }

    /// A call of a class has given its connection back.
    /// - Returns: the call that gets a connection now; at most one can.
    package mutating func giveBack(_ kind: CallClass) -> Waiter? {
        shares.giveBack(kind)
        guard let index = waiters.firstIndex(where: { shares.admits($0.kind) }) else { return nil }
        shares.take(waiters[index].kind)
        return waiters.remove(at: index)
    }

    /// Removes a waiting call; `nil` if it does not wait.
    package mutating func remove(_ number: UInt64) -> Waiter? {
        waiters.firstIndex { $0.number == number }.map { waiters.remove(at: $0) }
    }

    /// Removes the calls that have given up by now.
    package mutating func removeLate(at now: Instant) -> [Waiter] {
        let late = waiters.filter { $0.until <= now }
        if !late.isEmpty { waiters.removeAll { $0.until <= now } }
        return late
    }

    /// Removes all waiting calls.
    package mutating func removeAll() -> [Waiter] {
        defer { waiters = [] }
        return waiters
    }
}
