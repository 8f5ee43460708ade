package import ParleyModel

/// Groups of readers of the stream of stored events: the server keeps their place, and one worker at a time reads.
extension Messaging {
    /// The time after which another worker may take over from one that has stopped without a word.
    package static let eventLease = Duration.seconds(30)

    /// Gives a worker the lease of a group, or extends it.
    /// - Parameter cursor: The place of a group that does not exist yet.
    /// - Returns: The place of the group.
    /// - Throws: `conflict` while another worker has the lease, and beyond the maximum number of groups; `unavailable`.
    package func leaseEvents(
        of group: String, to worker: String, beginningAt cursor: EventCursor, for _: BackEnd
    ) async throws(MessagingError) -> EventCursor {
        let feed = try eventFeed()
        let lease = Self.eventLease.wholeMilliseconds
        let place = try await read {
            try await feed.leaseGroup(group, to: worker, for: lease, beginningAt: cursor)
        }
        if let place { return place }
        guard let known = try await read({ try await feed.eventGroups() }).first(where: { $0.name == group }) else {
            throw .conflict("there are \(EventGroup.maximumCount) groups, the maximum")
        }
        throw .conflict("the worker \(known.reader) reads for the group \(group)")
    }

    /// Extends the lease of a worker.
    /// - Returns: Whether the worker still has it.
    package func extendEventLease(
        of group: String, by worker: String, for _: BackEnd
    ) async throws(MessagingError) -> Bool {
        let feed = try eventFeed()
        return try await read {
            try await feed.extendLease(of: group, by: worker, for: Self.eventLease.wholeMilliseconds)
        }
    }

    /// Ends the lease of a worker, so that another one may begin at once.
    package func endEventLease(of group: String, by worker: String, for _: BackEnd) async throws(MessagingError) {
        let feed = try eventFeed()
        _ = try await read { try await feed.extendLease(of: group, by: worker, for: 0) }
    }

    /// Moves the place of a group to a cursor up to which its worker has handled everything.
    /// - Throws: `conflict` if another worker has taken over, or the group has been moved; `notFound` for an unknown group.
    package func acknowledgeEvents(
        through cursor: EventCursor, of group: String, by worker: String, for _: BackEnd
    ) async throws(MessagingError) {
        let feed = try eventFeed()
        if try await read({ try await feed.acknowledge(cursor, of: group, by: worker) }) { return }
        guard try await read({ try await feed.eventGroups() }).contains(where: { $0.name == group }) else {
            throw Self.noEventGroup
        }
        throw .conflict("the worker \(worker) no longer reads for the group \(group)")
    }

    /// Returns all groups by name.
    package func eventGroups(for _: BackEnd) async throws(MessagingError) -> [EventGroup] {
        let feed = try eventFeed()
        return try await read { try await feed.eventGroups() }
    }

    /// Moves the place of a group anywhere, for instance back to read events again, and ends the lease of its worker.
    /// - Throws: `notFound` for an unknown group.
    package func moveEventGroup(
        _ group: String, to cursor: EventCursor, for _: BackEnd
    ) async throws(MessagingError) {
        let feed = try eventFeed()
        guard try await read({ try await feed.moveEventGroup(group, to: cursor) }) else { throw Self.noEventGroup }
    }

    /// Forgets a group and its place.
    /// - Throws: `notFound` for an unknown group.
    package func deleteEventGroup(_ group: String, for _: BackEnd) async throws(MessagingError) {
        let feed = try eventFeed()
        guard try await read({ try await feed.deleteEventGroup(group) }) else { throw Self.noEventGroup }
    }

    private static let noEventGroup = MessagingError.notFound("there is no such group of readers")
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 { components.seconds * 1000 }
}
