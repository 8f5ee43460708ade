/// Detects abuse: too many invalid frames within a sliding window.
struct BadFrameWindow: Sendable {
    /// Invalid frames within `length` that close a connection.
    static let limit = 20
    /// Microseconds.
    static let length: Int64 = 10_000_000

    /// When the frames within the window arrived, oldest first; takes no memory for clients that never send one.
    private var instants: [Int64] = []

    /// - Returns: whether the limit is reached.
    mutating func record(at now: Int64, limit: Int = Self.limit) -> Bool {
        instants.removeAll { now - $0 >= Self.length }
        instants.append(now)
        guard instants.count >= limit else { return false }
        instants.removeFirst(instants.count - limit + 1)
        return true
    }
}
