package import ParleyModel

/// What must be the same in a repeated send: the thread, the text as it was sent, the parts, and what is answered.
///
/// Compared by bytes: texts that only look the same are two.
package struct SendContent: Sendable {
    /// All of it, divided by NULs, which none of it has; the number that is answered in decimal, empty for none.
    package let bytes: [UInt8]

    /// - Parameter parts: as tables keep them (`MessagePart.json`); `nil` or empty: none.
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
