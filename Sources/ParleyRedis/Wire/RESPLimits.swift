/// How much of Redis' answers is taken in. A server, or whoever poses as one, cannot fill the memory.
package struct RESPLimits: Hashable, Sendable {
    /// The longest bulk string, in bytes.
    package var bulkBytes = 16 * 1024 * 1024
    /// The longest line: a status, an error, a length.
    package var lineBytes = 64 * 1024
    /// Elements of one answer, over all its arrays.
    package var elements = 1_000_000
    /// Bulk bytes of one answer.
    package var replyBytes = 64 * 1024 * 1024

    package init() {}
}
