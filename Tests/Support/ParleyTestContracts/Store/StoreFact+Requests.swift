import ParleyModel
import Testing

private let anyRole: Authorization = { _ in }

extension StoreFact {
    static let requested: [StoreFact] = [
        StoreFact("a request may be for a thread that does not exist, and a refusal does not show") { fixture in
            let users = try await fixture.users(["ann", "bob"])
            let (tea, none) = (try await fixture.room("tea", users[0]), ThreadID(trusted: "none"))
            let end = 5 + JoinRequest.lifetime
            func own(at now: Int64 = 6) async throws -> [ThreadID] {
                try await fixture.store.requests(of: users[1].id, at: now).map(\.thread)
            }
            func shown(at now: Int64 = 6) async throws -> [RequestRecord] {
                try await fixture.store.requests(in: tea, at: now, after: nil, limit: 9)
            }
            let request = JoinRequest(text: "ä", since: 5)
            for thread in [tea, none] {
                _ = try await fixture.change(.request(request), of: users[1], in: thread, by: users[1])
            }
            let both = [tea, none].sorted { $0.text < $1.text }
            #expect(try await own() == both)
            #expect(try await shown() == [RequestRecord(thread: tea, user: users[1], request: request)])
            #expect(try await own(at: end - 1) == both)
            #expect(try await own(at: end).isEmpty)
            #expect(try await shown(at: end).isEmpty)
            _ = try await fixture.change(.refuseRequest, of: users[1], in: tea, by: users[0])
            #expect(try await own() == both)
            #expect(try await shown().isEmpty)
            // Withdrawn and made again, it stays refused; the other one is open again.
            for thread in [tea, none] {
                _ = try await fixture.change(.withdrawRequest, of: users[1], in: thread, by: users[1])
            }
            #expect(try await own().isEmpty)
            let later = JoinRequest(since: 7)
            for thread in [tea, none] {
                _ = try await fixture.change(.request(later), of: users[1], in: thread, by: users[1])
            }
            #expect(try await own(at: 8) == both)
            #expect(try await shown(at: 8).isEmpty)
            #expect(try await fixture.store.requests(of: users[1].id, at: 8).map(\.request.since) == [7, 7])
            // After its end, it may be made again.
            let newest = JoinRequest(since: 7 + JoinRequest.lifetime)
            _ = try await fixture.change(.request(newest), of: users[1], in: tea, by: users[1], at: newest.since)
            #expect(try await shown(at: newest.since).map(\.request) == [newest])
        },
        StoreFact("a membership ends a request, and a ban and the deletion of the thread hide it from moderators") {
            fixture in
            let users = try await fixture.users(["ann", "bob", "cat", "dan"])
            let tea = try await fixture.room("tea", users[0])
            for user in users[1...] {
                _ = try await fixture.change(.request(JoinRequest(since: 5)), of: user, in: tea, by: user)
            }
            let accepted = try await fixture.change(.acceptRequest, of: users[1], in: tea, by: users[0])
            #expect(accepted.value.member?.after == .member)
            #expect(accepted.outbox.map(\.content) == [.append(.joined(users[1], by: users[0].id))])
            #expect(try await fixture.store.requests(of: users[1].id, at: 6).isEmpty)
            _ = try await fixture.store.sanction(
                users[2], in: tea, Sanction(.ban, until: 50), author: nil, by: users[0].id, at: 6, authorize: anyRole)
            func shown(at now: Int64) async throws -> [User] {
                try await fixture.store.requests(in: tea, at: now, after: nil, limit: 9).map(\.user)
            }
            #expect(try await shown(at: 6) == [users[3]])
            #expect(try await shown(at: 50) == [users[3]])
            #expect(try await fixture.store.requests(of: users[2].id, at: 6).map(\.thread) == [tea])
            // Another user who is banned asks, and is not shown after the ban either.
            let eve = try await fixture.user("eve")
            _ = try await fixture.store.sanction(
                eve, in: tea, Sanction(.ban, until: 50), author: nil, by: users[0].id, at: 6, authorize: anyRole)
            _ = try await fixture.change(.request(JoinRequest(since: 7)), of: eve, in: tea, by: eve)
            #expect(try await shown(at: 50) == [users[3]])
            _ = try await fixture.store.deleteThread(tea, by: users[0].id, authorize: anyRole)
            #expect(try await fixture.store.requests(of: users[3].id, at: 6).map(\.thread) == [tea])
            #expect(try await shown(at: 50).isEmpty)
            #expect(try await fixture.store.eraseUser(users[3].id, at: 7).value)
            #expect(try await fixture.database.count(.joinRequests) == 2)
        },
    ]

    static let handedOver: [StoreFact] = [
        StoreFact("a hand-over makes another member the owner and the owner a moderator, with two events") { fixture in
            let users = try await fixture.users(["ann", "bob"])
            let tea = try await fixture.room("tea", users[0], users[1])
            let change = try await fixture.change(.handOver, of: users[1], in: tea, by: users[0])
            #expect(change.value.member?.before == .member && change.value.member?.after == .owner)
            let events: [OutboxEntry.Content] = [
                .append(.role(users[1].id, .owner, by: users[0].id)),
                .append(.role(users[0].id, .moderator, by: users[0].id)),
            ]
            #expect(change.outbox.map(\.content) == events)
            #expect(try await fixture.membership(of: users[0], in: tea)?.role == .moderator)
            #expect(try await fixture.membership(of: users[1], in: tea)?.role == .owner)
        }
    ]
}

extension StoreFixture {
    func users(_ names: [String]) async throws -> [User] {
        var users: [User] = []
        for name in names { users.append(try await user(name)) }
        return users
    }

    func change(
        _ change: EntranceChange, of user: User, in thread: ThreadID, by requester: User, at milliseconds: Int64 = 6
    ) async throws -> StateChange<EntranceOutcome> {
        try await store.changeEntrance(
            change, of: user, in: thread, by: requester.id, at: milliseconds, authorize: { _ in })
    }
}
