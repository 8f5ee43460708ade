import ParleyMessaging
import ParleyModel

extension PushNotification {
    static func message(
        _ body: String = "Hello", title: String = "Ann", thread: String = "lobby", seq: Int64 = 7,
        isMention: Bool = false, senderName: String = "Ann", threadKind: ThreadInfo.Kind = .direct,
        unread: Unread = Unread(thread: 2, total: 5), at: Int64 = 1_800_000_000_000
    ) -> PushNotification {
        PushNotification(
            .message(
                .init(
                    id: MessageID(trusted: "m\(seq)"), sender: UserID(trusted: "u1"), senderName: senderName,
                    threadKind: threadKind, title: title, body: body, isMention: isMention)),
            thread: ThreadID(trusted: thread), seq: seq, unread: unread, at: at)
    }

    static func clear(
        thread: String = "lobby", seq: Int64 = 7, unread: Unread = Unread(thread: 0, total: 3),
        at: Int64 = 1_800_000_000_000
    ) -> PushNotification {
        PushNotification(.clear, thread: ThreadID(trusted: thread), seq: seq, unread: unread, at: at)
    }
}
