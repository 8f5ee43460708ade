package import ParleyModel

/// A stored message that has a `client_id`, as it is compared with a send under the same one.
package struct StoredUse: Sendable {
    private enum Content: Sendable {
        case kept(SendContent)
        /// The text is gone.
        case digest([UInt8])
        /// The text is gone, and nothing tells what it was.
        case unknown
    }

    /// Where it stands; `isRepeat` is set.
    package let receipt: Receipt
    /// The thread is not deleted.
    package let isThreadThere: Bool
    private let content: Content

    package var seq: Int64 { receipt.position.seq }

    /// What a table has.
    /// - Parameters:
    ///   - text: as it was sent.
    ///   - isGone: the text was taken away.
    ///   - digest: what was kept of it then.
    ///   - isThreadThere: `false` for what is left of a deleted thread: it holds its `client_id` until it is cleared
    ///     away, and is nothing that could be repeated.
    package init(
        receipt: Receipt, text: String, parts: String?, replyTo: Int64?, isGone: Bool, digest: [UInt8]?,
        isThreadThere: Bool = true
    ) {
        self.receipt = receipt
        self.isThreadThere = isThreadThere
        content =
            if !isThreadThere {
                .unknown
            } else if isGone {
                digest.map { .digest($0) } ?? .unknown
            } else {
                .kept(SendContent(thread: receipt.thread.text, text: text, parts: parts, replyTo: replyTo))
            }
    }

    /// A message that the batch itself stores.
    package init(_ message: Message, of event: LogEvent, at seq: Int64) {
        receipt = Receipt(
            thread: event.thread, position: Position(epoch: event.position.epoch, seq: seq),
            milliseconds: event.milliseconds, messageID: message.id, isRepeat: true)
        isThreadThere = true
        content = message.isErased ? .unknown : .kept(SendContent(message, in: event.thread))
    }

    /// Whether a message says what this one did, in the same thread.
    /// - Parameter key: `nil`: what is gone is another.
    package func isSame(as message: Message, in thread: ThreadID, _ key: ContentKey?) -> Bool {
        let other = SendContent(message, in: thread)
        return switch content {
        case .kept(let content): content.bytes == other.bytes
        case .digest(let digest): key?.digest(of: other) == digest
        case .unknown: false
        }
    }
}
