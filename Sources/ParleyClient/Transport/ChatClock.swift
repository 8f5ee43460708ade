public import Foundation

/// The time, for delays and dates; tests replace it.
public protocol ChatClock: Sendable {
    /// The time since an arbitrary start, which never goes back.
    var uptime: Duration { get }
    /// The date, as the user's device has it.
    var date: Date { get }
    /// Returns when `uptime` has reached this value, or throws `CancellationError`.
    func sleep(until uptime: Duration) async throws
}

/// The clocks of the system.
public struct SystemChatClock: ChatClock {
    private let start = ContinuousClock.now

    /// A clock whose uptime begins now.
    public init() {}

    /// The time since this value was created.
    public var uptime: Duration { start.duration(to: .now) }

    /// The system's date.
    public var date: Date { Date() }

    /// Sleeps, also through times when the system is suspended.
    public func sleep(until uptime: Duration) async throws {
        try await Task.sleep(until: start + uptime, clock: .continuous)
    }
}
