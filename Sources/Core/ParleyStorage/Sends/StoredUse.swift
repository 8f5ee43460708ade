package import ParleyModel

/// A stored message with a `client_id`, compared with later sends under the same `client_id`.
package struct StoredUse: Sendable {
    private enum Content: Sendable {
        case kept(SendContent)
        /// The text was removed; its digest remains.
        case digest([UInt8])
        /// The text was removed without a digest.
        case unknown
    }

    /// The receipt of the stored message, with `isRepeat` set.
    package let receipt: Receipt
    /// The thread is not deleted.
    package let threadExists: Bool
    private let content: Content

    package var seq: Int64 { receipt.position.seq }

    /// A message as read from a table.
    /// - Parameters:
    ///   - text: the text as sent.
    ///   - isGone: whether the text was removed.
    ///   - digest: the digest kept when the text was removed.
    ///   - threadExists: `false` for a remnant of a deleted thread. It reserves its `client_id` until cleanup removes
    ///     it, and cannot be repeated.
    package init(
        receipt: Receipt, text: String, parts: String?, replyTo: Int64?, isGone: Bool, digest: [UInt8]?,
        threadExists: Bool = true
    ) {
        self.receipt = receipt
        self.threadExists = threadExists
        content =
            if !threadExists {
                .unknown
            } else if isGone {
                digest.map { .digest($0) } ?? .unknown
            } else {
                .kept(SendContent(thread: receipt.thread.text, text: text, parts: parts, replyTo: replyTo))
            }
    }

    /// A message that is stored by the current batch.
    package init(_ message: Message, of event: LogEvent, at seq: Int64) {
        receipt = Receipt(
            thread: event.thread, position: Position(epoch: event.position.epoch, seq: seq),
            milliseconds: event.milliseconds, messageID: message.id, isRepeat: true)
        threadExists = true
        content = message.isErased ? .unknown : .kept(SendContent(message, in: event.thread))
    }

    /// Whether a message has the same content in the same thread.
    /// - Parameter key: the key of the digests; without it, a message whose text was removed matches nothing.
    package func isSame(as message: Message, in thread: ThreadID, _ key: ContentKey?) -> Bool {
        let other = SendContent(message, in: thread)
        return switch content {
        case .kept(let content): content.bytes == other.bytes
        case .digest(let digest): key?.digest(of: other) == digest
        case .unknown: false
        }
    }
}
