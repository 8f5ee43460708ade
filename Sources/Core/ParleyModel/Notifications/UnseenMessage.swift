package import ParleyJSON

/// The decision that a recipient has not seen a message (docs/decisions/091-when-a-message-is-unseen.md), as an event for back
/// ends. It has no text.
package struct UnseenMessage: Hashable, Sendable {
    /// The recipient and the message, which identify the decision permanently.
    package struct ID: Hashable, Sendable {
        package let user: UserID
        package let thread: ThreadID
        /// The place of the message in its thread.
        package let position: Position

        package init(user: UserID, thread: ThreadID, position: Position) {
            self.user = user
            self.thread = thread
            self.position = position
        }

        /// The ID of the event: `unseen:`, the user, and the ID of the message's event.
        package var feedID: String { "unseen:\(user.text):\(thread.text):\(position.epoch.text):\(position.seq)" }

        /// - Returns: `nil` for a text that is not the ID of such an event.
        package init?(feedID: String) {
            let words = feedID.split(separator: ":", omittingEmptySubsequences: false)
            guard words.count == 5, words[0] == "unseen", let user = UserID(String(words[1])),
                let thread = ThreadID(String(words[2])), !words[3].isEmpty, let seq = Int64(words[4]), seq > 0
            else { return nil }
            self.init(user: user, thread: thread, position: Position(epoch: Epoch(String(words[3])), seq: seq))
        }
    }

    package let id: ID
    /// The time of the decision, in Unix milliseconds.
    package let milliseconds: Int64
    /// The number of unread messages in the thread and in all threads, at the time of the decision.
    package let unread: Int64
    package let unreadTotal: Int64
    /// Whether the message mentions the recipient or everyone.
    package let isMention: Bool
    /// Whether the recipient has quiet hours, in which no device is notified.
    package let isQuiet: Bool

    package init(
        id: ID, milliseconds: Int64, unread: Int64, unreadTotal: Int64, isMention: Bool, isQuiet: Bool
    ) {
        self.id = id
        self.milliseconds = milliseconds
        self.unread = unread
        self.unreadTotal = unreadTotal
        self.isMention = isMention
        self.isQuiet = isQuiet
    }

    /// 32 hex digits, which are the same for all messages of a thread: a newer notification replaces one with the same key.
    package var collapseKey: String { FNV1a128.hex(of: "unseen \(id.thread.text)") }

    /// The members of the event on the wire, in their order.
    package var members: [(String, JSONTree)] {
        [
            ("thread_id", .text(id.thread.text)), ("seq", .integer(id.position.seq)), ("at_ms", .integer(milliseconds)),
            ("user_id", .text(id.user.text)),
            ("unread", .ordered([("thread", .integer(unread)), ("total", .integer(unreadTotal))])),
            ("mention", .bool(isMention)), ("quiet", .bool(isQuiet)), ("collapse_key", .text(collapseKey)),
        ]
    }
}
