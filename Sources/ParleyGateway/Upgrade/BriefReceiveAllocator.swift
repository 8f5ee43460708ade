import NIOCore

/// Gives every read a buffer of its own, so that a connection that waits for its client holds none.
///
/// A channel keeps the first buffer it was given for as long as it lives, and with one message per read no other. So
/// the first is next to nothing, and the rest of what has come is read into the next.
struct BriefReceiveAllocator: RecvByteBufferAllocator {
    /// Most frames of clients are smaller, and memory of this size is quickly had and given back.
    private static let capacity = 1024
    private static let firstCapacity = 16

    private var isFirst = true

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        allocator.buffer(capacity: isFirst ? Self.firstCapacity : Self.capacity)
    }

    /// - Returns: `true`: the channel is to ask for the next buffer, and not to use one again.
    mutating func record(actualReadBytes: Int) -> Bool {
        isFirst = false
        return true
    }
}
