package import NIOCore

/// A complete message or control frame of a client.
package enum WebSocketInput: Hashable, Sendable {
    /// A whole message: fragments joined, inflated, valid UTF-8.
    case text(ByteBuffer)
    /// A whole binary message, of parsers that accept them; the dialects have none.
    case binary(ByteBuffer)
    /// Requires a pong with the same bytes, at most 125.
    case ping(ByteBuffer)
    case pong
    /// The client closes; nothing follows. The code is one that may be sent; `nil` if there is none.
    case close(code: UInt16?)
}
