/// The trace flag of a message is part of its id, so that every node and persister sees it: an id made by Parley ends
/// in `7ace` if, and only if, the message is traced (docs/decisions/015-traced-messages.md).
extension Identifier where Kind == MessageKind {
    /// The last four hex digits of a traced message's id.
    package static var traceMark: UInt16 { 0x7ACE }

    /// Whether the message is traced; `false` for an id not made by Parley.
    package var isTraced: Bool {
        text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.count == 32 && bytes[28] == UInt8(ascii: "7") && bytes[29] == UInt8(ascii: "a")
                && bytes[30] == UInt8(ascii: "c") && bytes[31] == UInt8(ascii: "e")
        } ?? (text.utf8.count == 32 && text.hasSuffix("7ace"))
    }
}

extension LogEvent {
    /// The id of the message, if the event is a traced message.
    package var tracedMessage: MessageID? {
        guard case .message(let message) = body, message.id.isTraced else { return nil }
        return message.id
    }
}
