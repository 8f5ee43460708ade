import ParleyJSON
import ParleyModel
import ParleyWire

/// Responses with events and threads, in the same format as on sockets.
extension JSONWriter {
    /// The expected size in bytes of a message or event without a long text.
    static let eventBytes = 384

    mutating func page(_ page: HistoryPage) {
        object { json in
            json.events("messages", page.messages, messages: .classic)
            json.member("has_more_before", page.hasMoreBefore)
            json.member("has_more_after", page.hasMoreAfter)
            json.end(of: page.head)
        }
    }

    mutating func page(_ page: LogPage) {
        object { json in
            json.events("events", page.events, messages: .classic)
            json.member("has_more", page.hasMore)
            json.end(of: page.head)
        }
    }

    private mutating func end(of head: ThreadHead?) {
        epoch(of: head?.position, absent: .null)
        member("head_seq", head?.position.seq ?? 0)
    }

    mutating func page(_ page: SearchPage) {
        object { json in
            json.events("results", page.messages, messages: .classic)
            json.member("has_more", page.hasMore)
        }
    }

    /// Writes a page of the classic history.
    mutating func page(_ page: MessagePage) {
        object { json in
            json.events("messages", page.messages, messages: .classic)
            json.member("end", page.isEnd)
        }
    }

    /// Writes a thread of the classic inbox.
    mutating func entry(_ entry: InboxEntry) {
        object { json in
            json.member("id", entry.thread.id.text)
            json.member("title", entry.thread.title)
            json.lastMessage(entry.lastMessage)
            json.member("unread_count", entry.unreadCount)
        }
    }

    /// Writes a thread as a member sees it.
    /// - Parameters:
    ///   - history: The history of a room for new members; `nil` where it is not shown.
    ///   - details: The details of a room; `nil` where they are not shown.
    mutating func thread(_ thread: ThreadSummary, _ history: RoomHistory? = nil, _ details: RoomDetails? = nil) {
        var seen = V1Thread(
            thread: thread.membership.thread, role: thread.membership.role, head: thread.head,
            unread: thread.unreadCount, readSeq: thread.readSeq, mute: thread.membership.mute,
            options: thread.membership.options, isBlocked: thread.membership.isBlocked)
        seen.begin(at: thread.membership.start)
        object { json in
            json.thread(seen, absentEpoch: .null)
            if let history { json.member("history", history.rawValue) }
            if let description = details?.description { json.member("description", description) }
            if let rules = details?.rules { json.member("rules", rules) }
            json.lastMessage(thread.lastMessage)
        }
    }

    private mutating func lastMessage(_ message: LogEvent?) {
        key("last_message")
        if let message { event(message, messages: .classic) } else { null() }
    }

    /// Writes the position of an event, in the format of an ack.
    /// - Parameter clientID: The id of a send that had one.
    mutating func ack(_ receipt: Receipt, clientID: String? = nil) {
        object { json in
            json.member("type", "ack")
            json.ack(receipt, level: receipt.messageID == nil ? nil : .accepted, clientID: clientID)
        }
    }
}
