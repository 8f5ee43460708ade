/// Places of groups of readers in the stream of stored events. A group has one reader at a time, which has its lease; another
/// one takes over when the lease has ended.
package protocol EventGroups: Sendable {
    /// Gives a reader the lease of a group, which ends that of an earlier reader of the same worker. A group without a row is
    /// made, up to `EventGroup.maximumCount`.
    /// - Parameters:
    ///   - cursor: The place of a new group.
    ///   - milliseconds: The time until the lease ends, by the database's clock.
    func leaseGroup(
        _ name: String, to reader: EventGroupReader, for milliseconds: Int64, beginningAt cursor: EventCursor
    ) async throws(StoreError) -> EventGroupLease

    /// Extends the lease of a reader, or ends it with 0 milliseconds.
    /// - Returns: Whether the reader was the last one with the lease.
    func extendLease(
        of name: String, by reader: EventGroupReader, for milliseconds: Int64
    ) async throws(StoreError) -> Bool

    /// Moves the place of a group to wherever it is to continue, and ends the lease. No reader has the group afterwards.
    /// - Returns: Whether the group exists.
    func moveEventGroup(_ name: String, to cursor: EventCursor) async throws(StoreError) -> Bool

    /// Moves the place of a group forward. A worker whose lease has ended may do so until another worker has one.
    func acknowledge(
        _ cursor: EventCursor, of name: String, by worker: String
    ) async throws(StoreError) -> EventAcknowledgement

    /// Returns all groups by name, at most `EventGroup.maximumCount`, with the age of what they have not acknowledged.
    func eventGroups() async throws(StoreError) -> [EventGroup]

    /// - Returns: Whether the group existed.
    func deleteEventGroup(_ name: String) async throws(StoreError) -> Bool
}

/// One answer to a worker of a group. The token tells it from other answers to the same worker.
package struct EventGroupReader: Hashable, Sendable {
    package let worker: String
    /// Never empty.
    package let token: String

    /// - Parameter token: By default 32 random hex digits.
    package init(
        worker: String, token: String = Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) })
    ) {
        self.worker = worker
        self.token = token
    }
}

/// The reply to a reader that asks for the lease of a group.
package enum EventGroupLease: Hashable, Sendable {
    /// The reader has the lease; the place of the group.
    case granted(EventCursor)
    /// Another worker has the lease. Empty if the group was moved in the meantime.
    case refused(worker: String)
    /// The group does not exist, and there are `EventGroup.maximumCount` others.
    case full
}

/// The reply to an acknowledgement.
package enum EventAcknowledgement: Hashable, Sendable {
    /// The group has the place of the acknowledgement.
    case accepted
    /// The place would move back, in one lane at least.
    case behind
    /// Another worker has had the lease since. Empty if the group was moved.
    case refused(worker: String)
    /// There is no such group.
    case unknown

    /// The reply to a worker, from the row of the group.
    package init(_ cursor: EventCursor, by worker: String, at place: EventCursor, of reader: String) {
        self =
            if reader != worker {
                .refused(worker: reader)
            } else if place.isCovered(by: cursor) {
                .accepted
            } else {
                .behind
            }
    }
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
    /// The worker that had the lease last; empty after the group was moved.
    package let reader: String
    /// The end of the lease, in Unix milliseconds by the database's clock.
    package let untilMilliseconds: Int64
    /// The time of the last acknowledgement; `nil` before the first.
    package let acknowledgedMilliseconds: Int64?
    /// The time at which the oldest events after the cursor were stored, in Unix milliseconds by the database's clock; `nil` if
    /// the cursor is the end of the stream.
    package var unreadMilliseconds: Int64?

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
