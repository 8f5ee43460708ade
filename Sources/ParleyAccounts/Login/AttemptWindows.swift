import ParleyModel

/// Counts by key in fixed windows: a window opens with a first attempt, lasts a minute, and is full at the limit.
///
/// Memory is bounded: beyond the capacity, the keys that tried longest ago are forgotten.
struct AttemptWindows: Sendable {
    private struct Window {
        var openedAt: Int64
        var count: Int
    }

    /// How long a window is open.
    static let milliseconds: Int64 = 60_000

    /// 0: none.
    let limit: Int
    private var windows: TTLCache<String, Window>

    init(limit: Int, capacity: Int) {
        self.limit = limit
        windows = TTLCache(lifetime: Self.milliseconds, capacity: capacity)
    }

    /// How many keys are remembered.
    var count: Int { windows.count }

    /// The milliseconds until a full window closes; `nil` if it is not full.
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

    /// Other nodes have counted too; more than is known here is taken over.
    mutating func heard(_ counted: FailureWindow, of key: String, at now: Int64) {
        guard limit > 0 else { return }
        guard counted.failures > open(key, at: now)?.count ?? 0 else { return }
        // Never open for longer than a window of our own would be.
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
