package import ParleyModel

extension ExportPage {
    /// Merges the two runs of a user's messages into a page. A later use of a `client_id` is in the second run, so a
    /// message alone does not determine where the next page starts.
    /// - Parameters:
    ///   - named: the messages that own their `client_id`.
    ///   - others: the remaining messages. Both together hold at least `limit + 1` messages if there are so many.
    package init(named: [LogEvent], others: [LogEvent], limit: Int) {
        let page = Array((named + others).prefix(limit))
        var next: ExportPlace?
        if named.count + others.count > limit, let last = page.last {
            if page.count <= named.count, let clientID = last.message?.clientID {
                next = .clientID(clientID)
            } else {
                next = .message(last.thread, seq: last.position.seq)
            }
        }
        self.init(messages: page, next: next)
    }
}
