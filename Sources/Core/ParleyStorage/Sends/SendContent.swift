package import ParleyModel

/// The content that must match in a repeated send: the thread, the text as sent, the parts, and the message replied to.
///
/// Contents are compared by bytes, without Unicode normalisation.
package struct SendContent: Sendable {
    /// The fields, separated by NULs, which none of them contains. The seq replied to is in decimal, empty for none.
    package let bytes: [UInt8]

    /// Encodes the fields of a message.
    /// - Parameter parts: the parts as stored in the tables (`MessagePart.json`); `nil` or empty for none.
    package init(thread: String, text: String, parts: String?, replyTo: Int64?) {
        var bytes = Array(thread.utf8)
        for field in [text, parts ?? "", replyTo.map(String.init) ?? ""] {
            bytes.append(0)
            bytes += field.utf8
        }
        self.bytes = bytes
    }

    package init(_ message: Message, in thread: ThreadID) {
        self.init(
            thread: thread.text, text: message.text,
            parts: message.parts.isEmpty ? nil : MessagePart.json(message.parts), replyTo: message.replyTo)
    }
}
