package import ParleyModel

/// The stream of stored events, for back ends.
extension Messaging {
    /// Returns stored events of all threads after a cursor, in their present state.
    /// - Throws: `rolledBack` if the database does not have the place of the cursor; `unavailable`.
    package func events(
        after cursor: EventCursor, _ query: EventQuery, for _: BackEnd
    ) async throws(MessagingError) -> EventFeedPage {
        let feed = try eventFeed()
        guard let page = try await read({ try await feed.events(after: cursor, query) }) else {
            throw .rolledBack(
                "the database does not have this cursor: it was restored to an earlier state, or is another database")
        }
        return page
    }

    /// Returns a cursor after everything that is stored.
    package func endOfEvents(for _: BackEnd) async throws(MessagingError) -> EventCursor {
        let feed = try eventFeed()
        return try await read { try await feed.endOfEvents() }
    }

    func eventFeed() throws(MessagingError) -> any EventFeed & EventGroups & Webhooks {
        guard let feed = ports.events else { throw .failed(cause: "this process does not read the stream of events") }
        return feed
    }
}
