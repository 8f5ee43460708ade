/// Places of groups of readers in the stream of stored events. A group has one reader at a time, which has its lease; another
/// one takes over when the lease has ended.
package protocol EventGroups: Sendable {
    /// Gives a reader the lease of a group, or extends it. A group without a row is made, up to `EventGroup.maximumCount`.
    /// - Parameters:
    ///   - cursor: The place of a new group.
    ///   - milliseconds: The time until the lease ends, by the database's clock.
    /// - Returns: The place of the group; `nil` while another reader has the lease, and beyond the maximum number of groups.
    func leaseGroup(
        _ name: String, to reader: String, for milliseconds: Int64, beginningAt cursor: EventCursor
    ) async throws(StoreError) -> EventCursor?

    /// Extends the lease of a reader, or ends it with 0 milliseconds.
    /// - Returns: Whether the reader was the last one with the lease.
    func extendLease(of name: String, by reader: String, for milliseconds: Int64) async throws(StoreError) -> Bool

    /// Moves the place of a group to wherever it is to continue, and ends the lease. No reader has the group afterwards.
    /// - Returns: Whether the group exists.
    func moveEventGroup(_ name: String, to cursor: EventCursor) async throws(StoreError) -> Bool

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
    /// The rule for the names of groups and workers, in words.
    package static let nameRule = "1 to 60 characters of A-Z, a-z, 0-9, dot, underscore and hyphen"

    /// Whether a group or a worker may have a name.
    package static func isName(_ text: String) -> Bool {
        (1...60).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

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
