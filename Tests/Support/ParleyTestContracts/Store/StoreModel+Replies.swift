import ParleyModel

/// Queries of the model.
extension StoreModel {
    /// The log of a thread, each event with the number of messages up to it.
    func plain(_ id: ThreadID) -> PlainLog {
        guard let thread = threads[id] else { return PlainLog([]) }
        if let plain = thread.replies.plain { return plain }
        var count: Int64 = 0
        let events = thread.log.map { entry in
            if entry.event.message != nil { count += 1 }
            var event = entry.event.stored
            event.messageCount = count
            return event
        }
        let plain = PlainLog(events, erased: erased)
        thread.replies.plain = plain
        return plain
    }

    /// The current messages of a thread, without reactions.
    func messages(in id: ThreadID) -> [LogEvent] {
        if let messages = threads[id]?.replies.messages { return messages }
        let messages = plain(id).messages
        threads[id]?.replies.messages = messages
        return messages
    }

    func inbox(of user: User) -> [InboxEntry] {
        summaries(of: user).map {
            InboxEntry(thread: $0.membership.thread, lastMessage: $0.lastMessage, unreadCount: $0.unreadCount)
        }
    }

    /// All threads of a user, as in a list.
    func summaries(of user: User) -> [ThreadSummary] {
        let threads = threads.values.compactMap { thread -> ThreadSummary? in
            guard let member = thread.members[user.id] else { return nil }
            let messages = messages(in: thread.info.id)
            var info = thread.info
            var peer = info.kind == .direct ? thread.pair.first { $0 != user } ?? user : nil
            if let id = peer?.id, erased.contains(id) { peer = .erased(id) }
            if let peer { info = ThreadInfo(id: info.id, kind: .direct, title: peer.name) }
            return ThreadSummary(
                membership: Membership(thread: info, role: member.role, peer: peer),
                head: head(of: info.id)?.position, readSeq: member.cursor,
                unreadCount: Int64(
                    messages.count { $0.position.seq > member.cursor && $0.message?.isDeleted == false }),
                lastMessage: messages.last,
                activity: messages.last?.milliseconds ?? member.joined)
        }
        return threads.sorted {
            ($1.activity, $0.membership.thread.id.text) < ($0.activity, $1.membership.thread.id.text)
        }
    }

    func head(of id: ThreadID) -> ThreadHead? {
        guard let thread = threads[id], let epoch = thread.epoch else { return nil }
        return ThreadHead(
            position: Position(epoch: epoch, seq: thread.head),
            milliseconds: thread.log.map(\.event.milliseconds).max() ?? 0,
            messageCount: Int64(thread.log.count { $0.event.message != nil }))
    }

    /// The search results of a user: texts are split at everything but letters and digits.
    func search(_ words: String, of user: User, in thread: ThreadID?, limit: Int) -> SearchPage {
        func split(_ text: String) -> Set<String> {
            Set(text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init))
        }
        let wanted = split(words)
        let found = threads.values.filter { $0.members[user.id] != nil && thread ?? $0.info.id == $0.info.id }
            .flatMap { messages(in: $0.info.id) }
            .filter { event in
                let words = split(event.message?.text ?? "")
                return !wanted.isEmpty
                    && wanted.allSatisfy { part in
                        words.contains(part) || (part.count > 1 && words.contains { $0.hasPrefix(part) })
                    }
            }
            .sorted {
                ($1.milliseconds, $0.thread.text, $1.position.seq) < ($0.milliseconds, $1.thread.text, $0.position.seq)
            }
        return SearchPage(messages: Array(found.prefix(limit)), hasMore: found.count > limit)
    }

    /// All messages sent by a user.
    func export(of user: User) -> [LogEvent] {
        threads.keys.flatMap { messages(in: $0) }.filter { $0.message?.sender.id == user.id }
    }

    /// The page computed by filtering all messages, which are in ascending order.
    static func page(of messages: [LogEvent], _ query: MessageQuery) -> MessagePage {
        func second(_ event: LogEvent) -> Int64 { event.milliseconds / 1000 }
        var matching = messages.filter { event in
            second(event) < query.before ?? .max && second(event) > query.after ?? .min
                && event.position.seq < query.beforeSeq ?? .max && event.position.seq > query.afterSeq ?? .min
        }
        let isAscending = query.after != nil || query.afterSeq != nil
        if !isAscending { matching.reverse() }
        var count = min(max(query.limit, 0), matching.count)
        if query.keepsSecondsWhole, count > 0 {
            while count < matching.count, second(matching[count]) == second(matching[count - 1]) { count += 1 }
        }
        let page = matching.prefix(count)
        return MessagePage(messages: isAscending ? page.reversed() : Array(page), isEnd: count == matching.count)
    }
}

extension ThreadSummary {
    /// The result of `Directory.readStates(of:limit:)` for the thread.
    var readState: ReadState {
        ReadState(thread: membership.thread.id, readSeq: readSeq, unreadCount: unreadCount)
    }
}
