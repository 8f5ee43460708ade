import Synchronization

/// Limits an occasional operation to one in a few seconds. Lock-free: a single atomic number.
final class Throttle: Sendable {
    /// Milliseconds between two operations.
    private static let interval: Int64 = 5000

    private let next = Atomic<Int64>(0)

    /// - Parameter now: Unix milliseconds.
    func isDue(at now: Int64) -> Bool {
        guard now >= next.load(ordering: .relaxed) else { return false }
        next.store(now + Self.interval, ordering: .relaxed)
        return true
    }
}
