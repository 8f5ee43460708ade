import Synchronization

/// Lets one look of many pass, at most one every few seconds. Owned by nobody: one atomic number.
final class Throttle: Sendable {
    /// Milliseconds between two looks.
    private static let interval: Int64 = 5000

    private let next = Atomic<Int64>(0)

    /// - Parameter now: Unix milliseconds.
    func isDue(at now: Int64) -> Bool {
        guard now >= next.load(ordering: .relaxed) else { return false }
        next.store(now + Self.interval, ordering: .relaxed)
        return true
    }
}
