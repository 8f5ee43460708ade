/// Counts the frames that a client should not have sent: so many within so long are abuse.
struct BadFrameWindow: Sendable {
    /// Bad frames within `length` that end a connection.
    static let limit: UInt8 = 20
    /// Microseconds.
    static let length: Int64 = 10_000_000

    /// Two adjacent windows stand in for a sliding one, so that the memory is two counters and not twenty instants.
    private var start: Int64 = 0
    private var current: UInt8 = 0
    private var previous: UInt8 = 0

    /// - Returns: whether this one is too many.
    mutating func record(at now: Int64) -> Bool {
        let elapsed = now - start
        if elapsed >= 2 * Self.length || start == 0 {
            (start, current, previous) = (now, 0, 0)
        } else if elapsed >= Self.length {
            (start, current, previous) = (start + Self.length, 0, current)
        }
        current = min(current + 1, Self.limit)
        // Of the previous window, the part that a window ending now still covers.
        let covered = Int64(previous) * max(0, Self.length - (now - start)) / Self.length
        return Int64(current) + covered >= Int64(Self.limit)
    }
}
