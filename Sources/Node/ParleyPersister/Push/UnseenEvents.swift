import ParleyMessaging
import ParleyModel

/// A message that a recipient has not seen, by the decision of `PushService`.
struct Unseen {
    let user: UserID
    let position: Position
    let notification: PushNotification
    /// Whether the recipient has quiet hours, in which no device is notified.
    let isQuiet: Bool

    init(user: UserID, position: Position, _ notification: PushNotification, isQuiet: Bool) {
        self.user = user
        self.position = position
        self.notification = notification
        self.isQuiet = isQuiet
    }

    fileprivate var message: UnseenMessage {
        UnseenMessage(
            id: UnseenMessage.ID(user: user, thread: notification.thread, position: position),
            milliseconds: notification.at, unread: Int64(notification.unread.thread),
            unreadTotal: Int64(notification.unread.total), isMention: notification.alert?.isMention == true,
            isQuiet: isQuiet)
    }
}

extension PushService {
    /// Stores decisions as events for back ends, before devices are notified.
    /// - Returns: The decisions that were not stored before: a process that continues at an earlier place makes some of them
    ///   again. All of them without a log.
    func record(_ found: [Unseen], in log: (any UnseenLog)?) async throws(StoreError) -> [Unseen] {
        guard let log else { return found }
        guard !found.isEmpty else { return [] }
        let added = try await log.addUnseen(found.map(\.message))
        return found.filter { added.contains($0.message.id) }
    }
}

/// A place in the stream that is behind the reader by the time for which it keeps messages in mind (`HeldMessages`).
///
/// The next process reads them again from there. What was decided before is known from the log of decisions.
struct TrailingPlace {
    /// The time between two places, which bounds their number, in milliseconds.
    private static let interval: Int64 = 1_000

    private var last: EventCursor
    /// The later places, and the times at which the reader was there, the oldest first.
    private var later: [(place: EventCursor, at: Int64)] = []

    init(_ place: EventCursor) {
        last = place
    }

    /// Returns the place to store.
    /// - Parameter place: The present place of the reader.
    mutating func place(noting place: EventCursor, at now: Int64) -> EventCursor {
        // After the clock was set back, the places are kept for longer.
        if let newest = later.last, now < newest.at { later = later.map { ($0.place, min($0.at, now)) } }
        if later.last.map({ now - $0.at >= Self.interval }) ?? true { later.append((place, now)) }
        while let oldest = later.first, now - oldest.at >= HeldMessages.longest {
            last = oldest.place
            later.removeFirst()
        }
        return last
    }
}
