import ParleyConcurrency
import ParleyModel

/// Counts attempts by key in fixed windows: a window opens with the first attempt, lasts a minute, and is full at the
/// limit.
///
/// Bounded: above the capacity, the least recently used keys are evicted.
struct AttemptWindows: Sendable {
    private struct Window {
        var openedAt: Int64
        var count: Int
    }

    /// The length of a window.
    static let milliseconds: Int64 = 60_000

    /// 0 means no limit.
    let limit: Int
    private var windows: TTLCache<String, Window>

    init(limit: Int, capacity: Int) {
        self.limit = limit
        windows = TTLCache(lifetime: Self.milliseconds, capacity: capacity)
    }

    /// The number of keys remembered.
    var count: Int { windows.count }

    /// Milliseconds until a full window closes; `nil` if it is not full.
    func retryAfter(_ key: String, at now: Int64) -> Int64? {
        guard limit > 0, let window = open(key, at: now), window.count >= limit else { return nil }
        return window.openedAt + Self.milliseconds - now
    }

    mutating func add(_ key: String, at now: Int64) {
        guard limit > 0 else { return }
        var window = open(key, at: now) ?? Window(openedAt: now, count: 0)
        window.count += 1
        windows.store(window, for: key, at: now)
    }

    /// Merges a count from all nodes, if it is higher than the local one.
    mutating func record(_ counted: FailureWindow, of key: String, at now: Int64) {
        guard limit > 0 else { return }
        guard counted.failures > open(key, at: now)?.count ?? 0 else { return }
        // Never open for longer than a local window.
        let openedAt = now - Self.milliseconds + min(counted.remaining, Self.milliseconds)
        windows.store(Window(openedAt: openedAt, count: counted.failures), for: key, at: now)
    }

    private func open(_ key: String, at now: Int64) -> Window? {
        guard let window = windows.value(for: key, at: now),
            (0..<Self.milliseconds).contains(now - window.openedAt)
        else { return nil }
        return window
    }
}
