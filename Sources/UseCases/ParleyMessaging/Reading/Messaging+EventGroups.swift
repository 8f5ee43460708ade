package import ParleyModel

/// Groups of readers of the stream of stored events: the server keeps their place, and one worker at a time reads.
extension Messaging {
    /// The time after which another worker may take over from one that has stopped without a word.
    package static let eventLease = Duration.seconds(30)

    /// Gives a reader the lease of a group, in place of an earlier reader of the same worker.
    /// - Parameter cursor: The place of a group that does not exist yet.
    /// - Returns: The place of the group.
    /// - Throws: `conflict` while another worker has the lease, and beyond the maximum number of groups; `unavailable`.
    package func leaseEvents(
        of group: String, to reader: EventGroupReader, beginningAt cursor: EventCursor, for _: BackEnd
    ) async throws(MessagingError) -> EventCursor {
        let feed = try eventFeed()
        let lease = Self.eventLease.wholeMilliseconds
        let reply = try await read {
            try await feed.leaseGroup(group, to: reader, for: lease, beginningAt: cursor)
        }
        switch reply {
        case .granted(let place): return place
        case .refused(worker: ""): throw .conflict("the group \(group) was moved just now; ask again")
        case .refused(let worker): throw .conflict("the worker \(worker) reads for the group \(group)")
        case .full: throw .conflict("there are \(EventGroup.maximumCount) groups, the maximum")
        }
    }

    /// Extends the lease of a reader.
    /// - Throws: `conflict` if another reader has taken over, also one of the same worker, or the group has been moved.
    package func extendEventLease(
        of group: String, by reader: EventGroupReader, for _: BackEnd
    ) async throws(MessagingError) {
        let feed = try eventFeed()
        let isExtended = try await read {
            try await feed.extendLease(of: group, by: reader, for: Self.eventLease.wholeMilliseconds)
        }
        if isExtended { return }
        throw .conflict(
            "this answer to the worker \(reader.worker) no longer reads for the group \(group): another answer does, or the group was moved"
        )
    }

    /// Ends the lease of a reader, so that another one may begin at once. Later readers of the same worker keep theirs.
    package func endEventLease(
        of group: String, by reader: EventGroupReader, for _: BackEnd
    ) async throws(MessagingError) {
        let feed = try eventFeed()
        _ = try await read { try await feed.extendLease(of: group, by: reader, for: 0) }
    }

    /// Moves the place of a group to a cursor up to which its worker has handled everything.
    /// - Throws: `conflict` if another worker has taken over, the group has been moved, or the place would move back;
    ///   `notFound` for an unknown group.
    package func acknowledgeEvents(
        through cursor: EventCursor, of group: String, by worker: String, for _: Operator
    ) async throws(MessagingError) {
        let feed = try eventFeed()
        switch try await read({ try await feed.acknowledge(cursor, of: group, by: worker) }) {
        case .accepted: return
        case .behind:
            throw .conflict(
                "the cursor is behind the place of the group \(group); without worker, the group is moved back")
        case .refused(worker: ""):
            throw .conflict("the group \(group) was moved; the worker \(worker) has to begin at its new place")
        case .refused(let other):
            throw .conflict("the worker \(worker) no longer reads for the group \(group): \(other) does")
        case .unknown: throw Self.noEventGroup
        }
    }

    /// Returns all groups by name.
    package func eventGroups(for _: Operator) async throws(MessagingError) -> [EventGroup] {
        let feed = try eventFeed()
        return try await read { try await feed.eventGroups() }
    }

    /// Moves the place of a group anywhere, for instance back to read events again, and ends the lease of its worker.
    /// - Throws: `notFound` for an unknown group.
    package func moveEventGroup(
        _ group: String, to cursor: EventCursor, by _: Operator
    ) async throws(MessagingError) {
        let feed = try eventFeed()
        guard try await read({ try await feed.moveEventGroup(group, to: cursor) }) else { throw Self.noEventGroup }
    }

    /// Moves the place of a group behind everything that is stored.
    /// - Throws: `notFound` for an unknown group.
    package func moveEventGroupToEnd(_ group: String, by requester: Operator) async throws(MessagingError) {
        let feed = try eventFeed()
        let end = try await read { try await feed.endOfEvents() }
        try await moveEventGroup(group, to: end, by: requester)
    }

    /// Forgets a group and its place.
    /// - Throws: `notFound` for an unknown group.
    package func deleteEventGroup(_ group: String, by _: Operator) async throws(MessagingError) {
        let feed = try eventFeed()
        guard try await read({ try await feed.deleteEventGroup(group) }) else { throw Self.noEventGroup }
    }

    private static let noEventGroup = MessagingError.notFound("there is no such group of readers")
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 { components.seconds * 1000 }
}
