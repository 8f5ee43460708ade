package import ParleyModel

extension ExportPage {
    /// A page from the two runs that a user's messages lie in. A later use of a `client_id` is in the second, so a message
    /// does not tell by itself where the list goes on.
    /// - Parameters:
    ///   - named: by the `client_id` that is theirs.
    ///   - others: the rest; together at least `limit + 1` if there are so many.
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
