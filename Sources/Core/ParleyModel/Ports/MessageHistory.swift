/// A request for a page of a thread's messages by seq or date.
package struct HistoryQuery: Hashable, Sendable {
    /// The place of a page in the log.
    package enum Place: Hashable, Sendable {
        /// The newest messages.
        case newest
        /// The newest messages below this seq.
        case before(Int64)
        /// The oldest messages above this seq.
        case after(Int64)
        /// `limit / 2` messages below this seq, and the rest of `limit` starting with it, so that it is in the middle. If one
        /// side has fewer messages, the other does not get more.
        case around(Int64)
        /// The newest messages at or before this instant, in Unix milliseconds.
        case at(Int64)
    }

    package var place: Place
    /// The maximum number of messages, clamped to 1...`maximumLimit`.
    package let limit: Int

    /// The maximum page size.
    package static let maximumLimit = 10_000

    package init(_ place: Place = .newest, limit: Int) {
        self.place = place
        self.limit = min(max(limit, 1), Self.maximumLimit)
    }
}

/// Messages of one thread in their current state, with reactions, and whether there are more on either side.
package struct HistoryPage: Hashable, Sendable {
    /// In ascending order of seq; the body of each is a message.
    package var messages: [LogEvent]
    /// Whether older messages exist below the page, or below the requested place if the page is empty.
    package var hasMoreBefore: Bool
    /// Whether newer messages exist above the page.
    package var hasMoreAfter: Bool
    /// The end of the stored log; `nil` for a thread without events.
    package var head: ThreadHead?

    package init(messages: [LogEvent], hasMoreBefore: Bool, hasMoreAfter: Bool, head: ThreadHead?) {
        self.messages = messages
        self.hasMoreBefore = hasMoreBefore
        self.hasMoreAfter = hasMoreAfter
        self.head = head
    }

    /// Makes a page, and derives `hasMoreBefore` and `hasMoreAfter` from the message counts of the messages.
    /// - Parameters:
    ///   - messages: Messages without gaps, read no later than `head`.
    ///   - place: The requested place, which is used if there are no messages.
    package init(counting messages: [LogEvent], at place: HistoryQuery.Place, head: ThreadHead?) {
        let count = head?.messageCount ?? 0
        let (first, last) =
            if let first = messages.first, let last = messages.last {
                (first.messageCount, last.messageCount)
            } else {
                // The page is empty, so all messages are on the side opposite to the requested direction.
                switch place {
                case .newest, .after, .around: (count + 1, count)
                case .before, .at: (1 as Int64, 0 as Int64)
                }
            }
        self.init(messages: messages, hasMoreBefore: first > 1, hasMoreAfter: last < count, head: head)
    }
}

/// Consecutive events of a thread's stored log, of all kinds.
package struct LogPage: Hashable, Sendable {
    /// In ascending order of seq.
    package var events: [LogEvent]
    /// Whether more events exist above the page.
    package var hasMore: Bool
    /// The end of the stored log; `nil` for a thread without events.
    package var head: ThreadHead?

    /// The maximum page size.
    package static let maximumLimit = 10_000

    package init(events: [LogEvent], hasMore: Bool, head: ThreadHead?) {
        self.events = events
        self.hasMore = hasMore
        self.head = head
    }

    /// Makes a page by merging messages and other events, which stores keep separately.
    /// - Parameters:
    ///   - messages: The first `limit + 1` messages, or all if there are fewer; ascending.
    ///   - others: The same for the other events.
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
