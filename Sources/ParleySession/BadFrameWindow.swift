/// Counts the frames that a client should not have sent: so many within so long are abuse.
struct BadFrameWindow: Sendable {
    /// Bad frames within `length` that end a connection.
    static let limit = 20
    /// Microseconds.
    static let length: Int64 = 10_000_000

    /// When those that still count came, oldest first; takes no memory for the many clients that never send one.
    private var instants: [Int64] = []

    /// - Returns: whether this one is too many.
    mutating func record(at now: Int64, limit: Int = Self.limit) -> Bool {
        instants.removeAll { now - $0 >= Self.length }
        instants.append(now)
        guard instants.count >= limit else { return false }
        instants.removeFirst(instants.count - limit + 1)
        return true
    }
}
