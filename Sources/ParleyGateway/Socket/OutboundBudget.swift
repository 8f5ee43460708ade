import NIOCore

/// Bounds the bytes that wait for one socket which reads too slowly.
package struct OutboundBudget: Sendable {
    private let limit: Int32
    /// Bytes written since the channel last reported its waiting bytes; an upper bound of what waits.
    private var unconfirmed: Int32 = 0

    /// - Parameter limit: in bytes.
    package init(limit: Int) {
        self.limit = Int32(clamping: limit)
    }

    /// Counts a write, if there is room for it.
    ///
    /// The channel is asked only when the own count is used up, which for a client that keeps up is seldom. What is
    /// written while nothing waits always has room, whatever its size: the members of a thread share those bytes.
    /// - Parameter waiting: how many bytes wait in the channel.
    package mutating func take(_ bytes: Int, waiting: () -> Int) -> Bool {
        if Int(unconfirmed) + bytes > Int(limit) {
            unconfirmed = Int32(clamping: waiting())
            if unconfirmed > 0, Int(unconfirmed) + bytes > Int(limit) { return false }
        }
        unconfirmed = Int32(clamping: Int(unconfirmed) + bytes)
        return true
    }
}

extension ChannelHandlerContext {
    /// How many bytes wait in the channel to be taken by the kernel.
    var waitingBytes: Int {
        (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
