public import Foundation

/// A clock for delays and dates. Tests replace it.
public protocol ChatClock: Sendable {
    /// The time since an arbitrary start, which never decreases.
    var uptime: Duration { get }
    /// The date of the user's device.
    var date: Date { get }
    /// Waits until ``uptime`` reaches a value.
    /// - Parameter uptime: The time to wait for.
    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(until uptime: Duration) async throws
}

/// The clocks of the system.
public struct SystemChatClock: ChatClock {
    private let start = ContinuousClock.now

    /// Creates a clock whose uptime begins now.
    public init() {}

    /// The time since this value was created.
    public var uptime: Duration { start.duration(to: .now) }

    /// The system's date.
    public var date: Date { Date() }

    /// Waits until ``uptime`` reaches a value. The time while the system is suspended counts.
    public func sleep(until uptime: Duration) async throws {
        try await Task.sleep(until: start + uptime, clock: .continuous)
    }
}
