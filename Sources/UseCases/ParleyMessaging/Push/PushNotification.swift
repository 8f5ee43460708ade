package import ParleyModel

/// The content of a push to one device, in the form that all services share.
///
/// Counts are absolute, so a device shows the right badge after any push that it receives, also if others were lost.
package struct PushNotification: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A message that its recipient has not seen.
        case message(Alert)
        /// The user has read the thread on another device, so its notifications disappear.
        case clear
    }

    /// A message as it is shown.
    package struct Alert: Hashable, Sendable {
        package var id: MessageID
        package var sender: UserID
        /// The display name of the sender, or the username; cut to `PushText.maximumTitle`.
        package var senderName: String
        package var threadKind: ThreadInfo.Kind
        /// The name of the sender, or that of the room.
        package var title: String
        /// The text, cut to the limit of a service at the end of a character.
        package var body: String
        /// Whether the message mentions the recipient.
        package var isMention: Bool

        package init(
            id: MessageID, sender: UserID, senderName: String, threadKind: ThreadInfo.Kind, title: String, body: String,
            isMention: Bool = false
        ) {
            self.id = id
            self.sender = sender
            self.senderName = PushText.cut(senderName, to: PushText.maximumTitle)
            self.threadKind = threadKind
            self.title = title
            self.body = body
            self.isMention = isMention
        }
    }

    /// The number of messages that the user has not read, at `at`.
    package struct Unread: Hashable, Sendable {
        package var thread: Int
        /// The number over all threads, which is the badge of the app.
        package var total: Int

        package init(thread: Int, total: Int) {
            self.thread = thread
            self.total = total
        }
    }

    /// The maximum of `lifetime`, which is FCM's.
    package static let longestLifetime = Duration.seconds(2_419_200)

    package var kind: Kind
    package var thread: ThreadID
    /// The position of the message; of `clear`, the read mark.
    package var seq: Int64
    package var unread: Unread
    /// The time of the counts in Unix milliseconds. A device ignores counts that are older than those it has.
    package var at: Int64
    /// The time for which a service keeps the push for a device that it cannot reach. Services get it in whole seconds, from
    /// 0 to `longestLifetime`.
    package var lifetime: Duration

    package init(
        _ kind: Kind, thread: ThreadID, seq: Int64, unread: Unread, at: Int64, lifetime: Duration = .seconds(86_400)
    ) {
        self.kind = kind
        self.thread = thread
        self.seq = seq
        self.unread = unread
        self.at = at
        self.lifetime = lifetime
    }

    package var alert: Alert? {
        if case .message(let alert) = kind { alert } else { nil }
    }

    /// `lifetime` as the services get it.
    var lifetimeSeconds: Int64 {
        min(max(lifetime, .zero), Self.longestLifetime).components.seconds
    }

    /// `message` or `clear`.
    var kindName: String { alert == nil ? "clear" : "message" }
}
