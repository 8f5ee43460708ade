/// An event of the stream of stored events (`EventFeed`).
package enum FeedEvent: Hashable, Sendable {
    /// An event of the log of a thread.
    case log(LogEvent)
    /// A row of the audit log.
    case audit(AuditEntry)
    /// The decision that a recipient has not seen a message.
    case unseen(UnseenMessage)

    /// The lane of a row; `nil` for an event of a log.
    package var lane: RowLane? {
        switch self {
        case .log: nil
        case .audit: .audit
        case .unseen: .unseen
        }
    }

    /// `nil` for a row.
    package var log: LogEvent? {
        if case .log(let event) = self { event } else { nil }
    }

    /// `nil` for everything that is no message.
    package var message: Message? { log?.message }

    /// The ID of the event, which is the same whenever it is sent.
    package var feedID: String {
        switch self {
        case .log(let event): event.feedID
        case .audit(let entry): entry.feedID
        case .unseen(let message): message.id.feedID
        }
    }

    /// The thread in whose order the event is; `RowLane.order` for all rows of a lane.
    package var order: ThreadID {
        switch self {
        case .log(let event): event.thread
        case .audit: RowLane.audit.order
        case .unseen: RowLane.unseen.order
        }
    }
}

extension AuditEntry {
    /// The row's ID and time, which identify it permanently: a restored database gives the same ID to another row.
    package var feedID: String { "audit:\(id)-\(milliseconds)" }

    /// The ID of the row in the ID of an event.
    /// - Returns: `nil` for a text that is not the ID of a row of the audit log.
    package static func rowID(in feedID: String) -> Int64? {
        guard feedID.hasPrefix("audit:") else { return nil }
        let words = feedID.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard words.count == 2, Int64(words[1]) != nil else { return nil }
        return Int64(words[0])
    }
}

extension LogEvent {
    /// The thread, the epoch and the seq, which identify the event permanently.
    package var feedID: String { "\(thread.text):\(position.epoch.text):\(position.seq)" }
}

/// The thread and the seq in the ID of an event (`LogEvent.feedID`).
package struct FeedPlace: Hashable, Sendable {
    package let thread: ThreadID
    package let seq: Int64

    /// - Returns: `nil` for a text that is no ID.
    package init?(_ id: String) {
        let words = id.split(separator: ":", omittingEmptySubsequences: false)
        guard words.count >= 3, let seq = words.last.flatMap({ Int64($0) }),
            let thread = ThreadID(words.dropLast(2).joined(separator: ":"))
        else { return nil }
        self.thread = thread
        self.seq = seq
    }
}
