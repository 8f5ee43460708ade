package import NIOCore

/// What a client sent, when all of it is there.
package enum WebSocketInput: Hashable, Sendable {
    /// One whole message: fragments joined, inflated, valid UTF-8.
    case text(ByteBuffer)
    /// To be answered by a pong with the same bytes, at most 125.
    case ping(ByteBuffer)
    case pong
    /// The client closes; nothing comes after it. The code is one that may be sent, `nil` if there is none.
    case close(code: UInt16?)
}
