/// Which messages of a thread, and where the page lies.
package struct HistoryQuery: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        /// The newest.
        case newest
        /// The newest below this seq.
        case before(Int64)
        /// The oldest above this seq.
        case after(Int64)
        /// `limit / 2` below this seq, and as many as are left from it on: the message itself is in the middle. What
        /// one side lacks, the other does not make up for.
        case around(Int64)
        /// The newest of this instant or earlier, Unix milliseconds.
        case at(Int64)
    }

    package var place: Place
    /// The most messages of the page; brought into 1 to `maximumLimit`.
    package let limit: Int

    /// The longest page.
    package static let maximumLimit = 10_000

    package init(_ place: Place = .newest, limit: Int) {
        self.place = place
        self.limit = min(max(limit, 1), Self.maximumLimit)
    }
}

/// Messages of one thread as they are now, with their reactions, and whether there are others around them.
package struct HistoryPage: Hashable, Sendable {
    /// In rising order of seq; each one's body is a message.
    package var messages: [LogEvent]
    /// Messages lie below the page; below the place that was asked for if the page is empty.
    package var hasMoreBefore: Bool
    /// Messages lie above the page.
    package var hasMoreAfter: Bool
    /// The end of what is stored; `nil` for a thread without events.
    package var head: ThreadHead?

    package init(messages: [LogEvent], hasMoreBefore: Bool, hasMoreAfter: Bool, head: ThreadHead?) {
        self.messages = messages
        self.hasMoreBefore = hasMoreBefore
        self.hasMoreAfter = hasMoreAfter
        self.head = head
    }

    /// A page whose surroundings follow from the messages' own counts.
    /// - Parameters:
    ///   - messages: without a gap, and read no later than `head`.
    ///   - place: where the page lies, for one without messages.
    package init(counting messages: [LogEvent], at place: HistoryQuery.Place, head: ThreadHead?) {
        let count = head?.messageCount ?? 0
        let (first, last) =
            if let first = messages.first, let last = messages.last {
                (first.messageCount, last.messageCount)
            } else {
                // Nothing lies in the direction of the question, so everything lies on the other side.
                switch place {
                case .newest, .after, .around: (count + 1, count)
                case .before, .at: (1 as Int64, 0 as Int64)
                }
            }
        self.init(messages: messages, hasMoreBefore: first > 1, hasMoreAfter: last < count, head: head)
    }
}

/// Consecutive events of one thread's stored log, messages and others.
package struct LogPage: Hashable, Sendable {
    /// In rising order of seq.
    package var events: [LogEvent]
    /// Events lie above the page; below it, if the newest were asked for.
    package var hasMore: Bool
    /// The end of what is stored; `nil` for a thread without events.
    package var head: ThreadHead?

    /// The longest page.
    package static let maximumLimit = 10_000

    package init(events: [LogEvent], hasMore: Bool, head: ThreadHead?) {
        self.events = events
        self.hasMore = hasMore
        self.head = head
    }

    /// The end of a run: the newest `limit` of messages and other events, which stores keep apart.
    /// - Parameters:
    ///   - messages: the newest `limit + 1` of them, or all if there are fewer.
    ///   - others: the same of the other events.
    package init(newestOf messages: [LogEvent], _ others: [LogEvent], limit: Int, head: ThreadHead?) {
        let events = (messages + others).sorted { $0.position.seq < $1.position.seq }
        self.init(events: Array(events.suffix(limit)), hasMore: events.count > limit, head: head)
    }

    /// A page from messages and other events, which stores keep apart.
    /// - Parameters:
    ///   - messages: the first `limit + 1` of them, or all if there are fewer; rising.
    ///   - others: the same of the other events.
    package init(merging messages: [LogEvent], _ others: [LogEvent], limit: Int, head: ThreadHead?) {
        var events: [LogEvent] = []
        events.reserveCapacity(min(limit, messages.count + others.count))
        var (messages, others) = (messages[...], others[...])
        while events.count < limit {
            switch (messages.first, others.first) {
            case (let message?, let other?):
                events.append(
                    message.position.seq < other.position.seq ? messages.removeFirst() : others.removeFirst())
            case (_?, nil): events.append(messages.removeFirst())
            case (nil, _?): events.append(others.removeFirst())
            case (nil, nil):
                self.init(events: events, hasMore: false, head: head)
                return
            }
        }
        self.init(events: events, hasMore: !messages.isEmpty || !others.isEmpty, head: head)
    }
}
