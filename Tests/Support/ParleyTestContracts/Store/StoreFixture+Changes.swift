import ParleyModel
import Testing

/// Changes of members, made in the tables: each returns the event that its outbox entry is relayed as, to be stored.
extension StoreFixture {
    func joining(_ user: User, _ thread: ThreadID) async throws -> LogEvent {
        let change = try await store.setMember(
            user, of: thread, role: nil, by: user.id, at: milliseconds, authorize: { _ in })
        return try #require(change.outbox.first.flatMap { event(of: $0) })
    }

    func leaving(_ user: User, _ thread: ThreadID) async throws -> LogEvent {
        let change = try await store.removeMember(
            user, from: thread, by: user.id, at: milliseconds, authorize: { _ in })
        return try #require(change.outbox.first.flatMap { event(of: $0) })
    }

    /// The event of an outbox entry as it is relayed; `nil` for an entry without one.
    func event(of entry: OutboxEntry) -> LogEvent? {
        guard case .append(let body) = entry.content else { return nil }
        return event(body, in: entry.thread, outboxID: entry.id)
    }
}
