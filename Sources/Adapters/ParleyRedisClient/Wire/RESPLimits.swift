/// The limits on replies, so that a server, or an impostor, cannot exhaust the memory.
package struct RESPLimits: Hashable, Sendable {
    /// The maximum size of a bulk string, in bytes.
    package var bulkBytes = 16 * 1024 * 1024
    /// The maximum length of a line (a status, an error, a length), in bytes.
    package var lineBytes = 64 * 1024
    /// The maximum number of elements in one reply, over all its arrays.
    package var elements = 1_000_000
    /// The maximum total size of the bulk strings of one reply, in bytes.
    package var replyBytes = 64 * 1024 * 1024

    package init() {}
}
