import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// Creates a room without members for an operator or a back end. Idempotent.
    /// - Parameters:
    ///   - id: An id chosen by the caller. If `nil` or empty, an id is generated.
    ///   - visibility: The visibility of a new room. If `nil`, that of the settings. A room that exists keeps its own.
    ///   - history: The history of a new room. If `nil`, all of it. A room that exists keeps its own.
    /// - Throws: `invalid`; `conflict` if the title belongs to another public room, or the id to another thread;
    ///   `unavailable`, also while parts of a deleted thread with this id remain.
    package func createRoom(
        titled title: String, id: String?, visibility: RoomVisibility? = nil, history: RoomHistory? = nil,
        by requester: Operator
    ) async throws(MessagingError) -> (room: ThreadInfo, isNew: Bool) {
        let title = try roomTitle(title)
        let wanted = try Self.roomID(id)
        if let wanted { try await ensureRemoved([wanted]) }
        let room = ThreadInfo(
            id: wanted ?? ThreadID(UUIDv7(clock)), kind: .room, title: title.text,
            visibility: visibility ?? rooms.visibility)
        let outcome = try await commit {
            try await ports.accounts.importRecords(
                [.room(id: room.id, title: room.title, visibility: room.visibility, history: history ?? .all)],
                origin: requester.origin, by: nil, at: clock.milliseconds
            ).first
        }
        switch outcome {
        case .added?:
            ports.directory.forget(thread: room)
            return (room, true)
        case .refused(.nameTaken)?:
            throw .conflict("another public room has this title")
        case .refused(.idTaken)?: throw .conflict("the id belongs to another thread")
        case .refused(.unstorable)?: throw .invalid("the title cannot be stored")
        default: return (try await knownThread(room.id), false)
        }
    }

    /// Returns the public room with this title, or `nil` if there is none.
    /// - Throws: `invalid`, `unavailable`.
    package func room(titled title: String) async throws(MessagingError) -> ThreadInfo? {
        let title = try roomTitle(title)
        return try await commit { try await ports.directory.room(titled: title.text) }
    }

    /// Returns a valid room id, or `nil` if none was given.
    private static func roomID(_ text: String?) throws(MessagingError) -> ThreadID? {
        guard let text, !text.isEmpty else { return nil }
        guard let id = ThreadID(text) else {
            throw .invalid("id is not allowed; allowed are 1 to 90 of A-Z a-z 0-9 . _ -")
        }
        if let violation = ThreadInfo.violation(inRoomID: id) { throw .invalid(violation) }
        return id
    }

    /// Checks that the logs hold nothing of deleted threads with these ids, which are about to be reused.
    /// - Throws: `unavailable` if the logs still hold something.
    func ensureRemoved(_ ids: [ThreadID]) async throws(MessagingError) {
        for id in ids {
            // Another page may follow a full page.
            let isPending = { (entries: [OutboxEntry]) in
                entries.count == OutboxRelay.pageLength || entries.contains { $0.content == .forgetThread }
            }
            let read = { [state = ports.state] () async throws in
                try await state.outboxEntries(of: id, limit: OutboxRelay.pageLength)
            }
            let entries = try await commit(read)
            guard isPending(entries) else { continue }
            _ = await relayedSoon(entries, of: id)
            if isPending(try await commit(read)) {
                throw .unavailable("a deleted thread of this id is still being removed")
            }
        }
    }
}
