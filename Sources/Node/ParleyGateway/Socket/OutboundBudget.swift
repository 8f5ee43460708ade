import NIOCore

/// Bounds the bytes that wait for a client that reads too slowly.
package struct OutboundBudget: Sendable {
    private let limit: Int32
    /// Bytes written since the waiting ones were last counted: never fewer than wait.
    private var unconfirmed: Int32 = 0

    /// - Parameter limit: in bytes.
    package init(limit: Int) {
        self.limit = Int32(clamping: limit)
    }

    /// Counts a write, if there is room for it.
    ///
    /// The waiting bytes are counted only when the own count is used up, which is rare for a client that keeps up. A
    /// write while nothing waits always has room, regardless of its size: the members of a thread share those bytes.
    /// - Parameter waiting: counts the bytes that wait.
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
    /// The number of the channel's bytes that the kernel has not taken yet.
    var waitingBytes: Int {
        (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
