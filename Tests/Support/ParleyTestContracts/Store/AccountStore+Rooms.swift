package import ParleyModel

extension AccountStore {
    /// Imports a room with members, without outbox entries. If a room has the title, they become its members; of a new
    /// room, the first one is the owner.
    /// - Parameters:
    ///   - id: the id of a new room.
    ///   - milliseconds: the current time.
    @discardableResult
    package func importRoom(
        _ title: String, id: ThreadID, members: [User], at milliseconds: Int64 = 1
    ) async throws -> ThreadID {
        let isNew = try await importRecords([.room(id: id, title: title)], at: milliseconds) == [.added]
        let room = try await room(titled: title, newID: id, at: milliseconds).id
        let records = members.enumerated().map { number, user in
            ImportRecord.member(
                thread: room, user: UserReference(id: user.id), role: isNew && number == 0 ? .owner : nil)
        }
        for outcome in try await importRecords(records, at: milliseconds) {
            if case .refused(let rejection) = outcome { throw StoreError.failed("no member of \(title): \(rejection)") }
        }
        return room
    }
}
