import ParleyModel

extension NaiveTables {
    func history(in thread: ThreadID, _ query: HistoryQuery) -> HistoryPage {
        StoreModel.history(of: plain(thread).messagesWithReactions, query, head: head(of: thread))
    }

    func events(in thread: ThreadID, after seq: Int64, limit: Int) -> LogPage {
        let events = plain(thread).log.filter { $0.position.seq > seq }
        return LogPage(events: Array(events.prefix(limit)), hasMore: events.count > limit, head: head(of: thread))
    }

    func message(_ id: MessageID, in thread: ThreadID) -> MessagePlace? {
        plain(thread).messages.lazy.compactMap { event in
            guard let message = event.message, message.id == id else { return nil }
            return MessagePlace(seq: event.position.seq, sender: message.sender.id, isGone: message.isDeleted)
        }.first
    }

    /// A member of a thread finds its messages by any part of their texts.
    func search(_ words: String, of user: UserID, in thread: ThreadID?, limit: Int) -> SearchPage {
        let wanted = words.split(separator: " ")
        var found: [LogEvent] = []
        for id in inbox(of: user).map(\.thread.id) where thread == nil || thread == id {
            found += plain(id).messages.reversed().filter { event in
                let text = event.message?.text ?? ""
                return wanted.allSatisfy { text.contains($0) }
            }
        }
        found.sort { $0.milliseconds > $1.milliseconds }
        return SearchPage(messages: Array(found.prefix(limit)), hasMore: found.count > limit)
    }

    func export(of user: UserID, after place: ExportPlace?, limit: Int) -> ExportPage {
        let sent = threads.flatMap { plain($0).messages }.filter { $0.message?.sender.id == user }
        let start = sent.firstIndex { ExportPlace(after: $0) == place }.map { $0 + 1 } ?? 0
        let page = sent[start...].prefix(limit)
        return ExportPage(
            messages: Array(page), next: page.endIndex < sent.count ? page.last.map { .init(after: $0) } : nil)
    }

    func threads(of user: UserID, after place: ThreadPlace?, limit: Int) -> [ThreadSummary] {
        let threads = inbox(of: user).map { entry in
            let member = member(user, of: entry.thread.id)
            return ThreadSummary(
                membership: Membership(thread: entry.thread, role: member.role, peer: member.peer),
                head: head(of: entry.thread.id)?.position, readSeq: member.readSeq, unreadCount: entry.unreadCount,
                lastMessage: entry.lastMessage, activity: entry.lastMessage?.milliseconds ?? member.joined)
        }
        return StoreModel.page(of: threads, after: place, limit: limit)
    }
}
