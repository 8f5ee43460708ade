package import ParleyModel

extension AccountStore {
    /// A room with these members, as an import makes it: nothing of it is in the outbox. If there is a room of the title,
    /// they become members of that one; of a new one, the first is the owner.
    /// - Parameters:
    ///   - id: of a room that is new.
    ///   - milliseconds: now.
    @discardableResult
    package func importRoom(
        _ title: String, id: ThreadID, members: [User], at milliseconds: Int64 = 1
    ) async throws -> ThreadID {
        let isNew = try await importRecords([.room(id: id, title: title)], at: milliseconds) == [.added]
        let room = try await room(titled: title, newID: id, at: milliseconds).id
        let records = members.enumerated().map { number, user in
            ImportRecord.member(thread: room, user: user.id.text, role: isNew && number == 0 ? .owner : nil)
        }
        for outcome in try await importRecords(records, at: milliseconds) {
            if case .refused(let rejection) = outcome { throw StoreError.failed("no member of \(title): \(rejection)") }
        }
        return room
    }
}
