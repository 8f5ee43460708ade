/// Places of groups of readers in the stream of stored events. A group has one reader at a time, which has its lease; another
/// one takes over when the lease has ended.
package protocol EventGroups: Sendable {
    /// Gives a reader the lease of a group, or extends it. A group without a row is made.
    /// - Parameters:
    ///   - cursor: The place of a new group.
    ///   - milliseconds: The time until the lease ends, by the database's clock.
    /// - Returns: The place of the group; `nil` while another reader has the lease.
    func leaseGroup(
        _ name: String, to reader: String, for milliseconds: Int64, beginningAt cursor: EventCursor
    ) async throws(StoreError) -> EventCursor?

    /// Moves the place of a group. A reader whose lease has ended may do so until another reader has one.
    /// - Returns: Whether the reader was the last one with the lease.
    func acknowledge(_ cursor: EventCursor, of name: String, by reader: String) async throws(StoreError) -> Bool

    /// Returns all groups by name, at most `EventGroup.maximumCount`.
    func eventGroups() async throws(StoreError) -> [EventGroup]

    /// - Returns: Whether the group existed.
    func deleteEventGroup(_ name: String) async throws(StoreError) -> Bool
}

/// A group of readers of the stream of stored events.
package struct EventGroup: Hashable, Sendable {
    /// The maximum number of groups.
    package static let maximumCount = 100

    package let name: String
    package let cursor: EventCursor
    /// The reader that had the lease last.
    package let reader: String
    /// The end of the lease, in Unix milliseconds by the database's clock.
    package let untilMilliseconds: Int64
    /// The time of the last acknowledgement; `nil` before the first.
    package let acknowledgedMilliseconds: Int64?

    package init(
        name: String, cursor: EventCursor, reader: String, untilMilliseconds: Int64, acknowledgedMilliseconds: Int64?
    ) {
        self.name = name
        self.cursor = cursor
        self.reader = reader
        self.untilMilliseconds = untilMilliseconds
        self.acknowledgedMilliseconds = acknowledgedMilliseconds
    }

    /// Decodes a row.
    /// - Throws: `StoreError.failed` for a text that is not a cursor.
    package static func cursor(_ text: String) throws -> EventCursor {
        guard let cursor = EventCursor(text) else { throw StoreError.failed("a row of event_groups has no cursor") }
        return cursor
    }
}
