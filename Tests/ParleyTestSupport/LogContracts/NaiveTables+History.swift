import ParleyModel

extension NaiveTables {
    func history(in thread: ThreadID, _ query: HistoryQuery) -> HistoryPage {
        StoreModel.history(of: plain(thread).messagesWithReactions, query, head: head(of: thread))
    }

    func events(in thread: ThreadID, after seq: Int64, limit: Int) -> LogPage {
        let events = log(of: thread).filter { $0.position.seq > seq }
        return LogPage(events: Array(events.prefix(limit)), hasMore: events.count > limit, head: head(of: thread))
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
