import ParleyModel

extension StoreModel {
    /// The page computed by filtering all messages, which are in ascending order.
    static func history(of messages: [LogEvent], _ query: HistoryQuery, head: ThreadHead?) -> HistoryPage {
        /// The number of messages before the first that `isIn`.
        func count(below isIn: (LogEvent) -> Bool) -> Int { messages.firstIndex(where: isIn) ?? messages.count }
        let limit = query.limit
        var (start, end) = (0, messages.count)
        switch query.place {
        case .newest: start = end - limit
        case .before(let seq):
            end = count { $0.position.seq >= seq }
            start = end - limit
        case .after(let seq):
            start = count { $0.position.seq > seq }
            end = start + limit
        case .around(let seq):
            let middle = count { $0.position.seq >= seq }
            start = middle - limit / 2
            end = middle + limit - limit / 2
        case .at(let milliseconds):
            end = count { $0.milliseconds > milliseconds }
            start = end - limit
        }
        start = max(start, 0)
        end = min(end, messages.count)
        return HistoryPage(
            messages: Array(messages[start..<end]), hasMoreBefore: start > 0, hasMoreAfter: end < messages.count,
            head: head)
    }

    func log(of id: ThreadID, after seq: Int64, limit: Int) -> LogPage {
        let events = plain(id).log.filter { $0.position.seq > seq }
        return LogPage(events: Array(events.prefix(limit)), hasMore: events.count > limit, head: head(of: id))
    }

    /// The part of a list of threads after a place.
    static func page(of threads: [ThreadSummary], after place: ThreadPlace?, limit: Int) -> [ThreadSummary] {
        let rest = threads.filter { thread in
            guard let place else { return true }
            return (-place.activity, place.thread.text) < (-thread.activity, thread.membership.thread.id.text)
        }
        return Array(rest.prefix(limit))
    }
}
