/// The reason that a peer's bytes close the socket.
package enum WebSocketViolation: Error, Hashable, Sendable {
    /// A frame without a mask (RFC 6455 §5.1).
    case unmasked
    /// A reserved bit that no extension defines (§5.2, RFC 7692 §6).
    case reservedBit
    case unknownOpcode(UInt8)
    /// A length that is not in its shortest form, or needs 64 bits (§5.2).
    case badLength
    /// A control frame that is fragmented or has more than 125 bytes (§5.5).
    case badControlFrame
    /// A continuation frame without a message (§5.4).
    case unexpectedContinuation
    /// A new message within another (§5.4).
    case unfinishedMessage
    /// A close frame of one byte, or with a code that may not be sent (§7.4).
    case badCloseCode
    case binary
    /// A text message or a close reason that is not UTF-8.
    case notUTF8
    /// A compressed message that cannot be inflated.
    case notDeflated
    /// A frame, a whole message, or an inflated message exceeds this size.
    case tooLarge(maximumBytes: Int)

    /// The code to close with.
    package var closeCode: UInt16 {
        switch self {
        case .unmasked, .reservedBit, .unknownOpcode, .badLength, .badControlFrame, .unexpectedContinuation,
            .unfinishedMessage, .badCloseCode:
            1002
        case .binary: 1003
        case .notUTF8, .notDeflated: 1007
        case .tooLarge: 1009
        }
    }

    /// The reason to close with, at most 123 bytes.
    package var explanation: String {
        switch self {
        case .unmasked: "a client must mask its frames"
        case .reservedBit: "a reserved bit is set"
        case .unknownOpcode(let opcode): "unknown opcode \(opcode)"
        case .badLength: "the length is not in its shortest form"
        case .badControlFrame: "a control frame must not be fragmented and has at most 125 bytes"
        case .unexpectedContinuation: "a continuation frame without a first frame"
        case .unfinishedMessage: "a message begins before the previous one has ended"
        case .badCloseCode: "the close code is invalid"
        case .binary: "only text messages are allowed"
        case .notUTF8: "text must be UTF-8"
        case .notDeflated: "the compressed message cannot be inflated"
        case .tooLarge(let maximumBytes): "a message may have at most \(maximumBytes) bytes"
        }
    }
}
