import NIOCore

/// Gives every read a buffer of its own, so that a connection that waits for its client holds none.
///
/// A channel keeps the first buffer it was given for as long as it lives, and with one message per read no other. So
/// the first is next to nothing, and the rest of what has come is read into the next. One that was filled is followed
/// by a larger one, until there is less to read.
struct BriefReceiveAllocator: RecvByteBufferAllocator {
    private static let first = 16
    /// Most frames of clients are smaller, and memory of this size is quickly had and given back.
    private static let usual = 1024
    private static let largest = 65_536

    private var capacity = Self.first

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        allocator.buffer(capacity: capacity)
    }

    /// - Returns: `true`: the channel is to ask for the next buffer, and not to use one again.
    mutating func record(actualReadBytes: Int) -> Bool {
        let isFull = actualReadBytes >= capacity
        capacity = isFull ? min(max(4 * capacity, Self.usual), Self.largest) : Self.usual
        return true
    }
}
