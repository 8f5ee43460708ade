import ParleyModel
import Testing

private let anyone: Authorization = { _ in }

extension StoreFact {
    /// Links that lead into rooms.
    static let links: [StoreFact] = [
        StoreFact("a link makes members until it is used up, and takes no use of a member") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (cat, tea) = (try await fixture.user("cat"), try await fixture.room("tea", ann))
            try await fixture.forgetOutbox()
            let link = try await fixture.link("l1", into: tea, by: ann, until: 100, uses: 1)
            #expect(try await fixture.store.links(of: tea, at: 99) == [link])
            let joined = try await fixture.follow("l1", by: bob)
            let info = ThreadInfo(id: tea, kind: .room, title: "tea")
            let member = Membership(thread: info, role: .member)
            #expect(joined.value == JoinedRoom(membership: member, isNewMember: true))
            #expect(joined.outbox.map(\.content) == [.append(.joined(bob))])
            #expect(try await fixture.membership(of: bob, in: tea) == member)
            // A repeat of the call that took the last use is answered, and nothing is known to others.
            let again = try await fixture.follow("l1", by: bob)
            #expect(again.value == JoinedRoom(membership: member, isNewMember: false) && again.outbox.isEmpty)
            #expect(try await fixture.follow("l1", by: cat).value == nil)
            #expect(try await fixture.membership(of: cat, in: tea) == nil)
            #expect(try await fixture.store.links(of: tea, at: 99).isEmpty)
            let room = try await fixture.store.linkedRoom(TokenHash("code of l1"), for: bob.id)
            var used = link
            used.used = 1
            #expect(room == LinkedRoom(link: used, thread: info, members: 2, isMember: true))
            let strange = try await fixture.store.linkedRoom(TokenHash("code of l1"), for: cat.id)
            #expect(strange?.isMember == false)
        },
        StoreFact("a link leads no user once it has expired or is removed, and none by an unknown code") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (tea, milk) = (try await fixture.room("tea", ann), try await fixture.room("milk", ann))
            let link = try await fixture.link("l1", into: tea, by: ann, until: 100)
            #expect(try await fixture.follow("l1", by: bob, at: 100).value == nil)
            #expect(try await fixture.follow("l1", by: ann, at: 100).value == nil)
            #expect(try await fixture.follow("l2", by: bob).value == nil)
            #expect(try await fixture.store.linkedRoom(TokenHash("code of l2"), for: bob.id) == nil)
            #expect(try await fixture.store.links(of: tea, at: 100).isEmpty)
            // The link of another room is not removed.
            #expect(try await fixture.remove("l1", from: milk, by: ann).value == nil)
            #expect(try await fixture.remove("l1", from: tea, by: ann).value == link)
            #expect(try await fixture.remove("l1", from: tea, by: ann).value == nil)
            #expect(try await fixture.follow("l1", by: bob).value == nil)
            #expect(try await fixture.membership(of: bob, in: tea) == nil)
        },
        StoreFact("authorize sees whether the user of a link is restricted or banned, and a refusal takes no use") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.room("tea", ann, bob)
            _ = try await fixture.link("l1", into: tea, by: ann, uses: 1)
            _ = try await fixture.store.setMember(bob, of: tea, role: .readOnly, by: ann.id, at: 5, authorize: anyone)
            let ban = Sanction(.ban)
            _ = try await fixture.store.sanction(
                bob, in: tea, ban, author: ann.id, by: ann.id, at: 5, authorize: anyone)
            await #expect(throws: RightsViolation.banned) {
                try await fixture.store.follow(TokenHash("code of l1"), by: bob, at: 7) { roles in
                    #expect(roles.thread?.id == tea && roles.requester == nil && roles.subject == nil)
                    #expect(roles.sanctions == Sanctions(ban: ban) && roles.restrictions.isReadOnly)
                    throw RightsViolation.banned
                }
            }
            #expect(try await fixture.store.links(of: tea, at: 7).map(\.used) == [0])
            // The role is that of the restrictions.
            let joined = try await fixture.follow("l1", by: bob)
            #expect(joined.value?.membership.role == .readOnly)
        },
        StoreFact("a room has at most fifty links in force, and ended ones make room") { fixture in
            let ann = try await fixture.user("ann")
            let (tea, milk) = (try await fixture.room("tea", ann), try await fixture.room("milk", ann))
            for number in 0..<RoomLink.mostInForce {
                _ = try await fixture.link(
                    "l\(number + 10)", into: tea, by: ann, since: Int64(number), until: number == 0 ? 100 : nil)
            }
            let one = RoomLink(id: LinkID(trusted: "more"), author: ann.id, since: 99)
            let code = TokenHash("code of more")
            let refused = try await fixture.store.addLink(one, code: code, to: tea, authorize: anyone)
            #expect(!refused.value)
            #expect(try await fixture.store.linkedRoom(code, for: ann.id) == nil)
            _ = try await fixture.link("other", into: milk, by: ann)
            let later = RoomLink(id: LinkID(trusted: "more"), author: ann.id, since: 100)
            #expect(try await fixture.store.addLink(later, code: code, to: tea, authorize: anyone).value)
            #expect(try await fixture.database.count(.links) == RoomLink.mostInForce + 1)
            let ids = try await fixture.store.links(of: tea, at: 101).map(\.id.text)
            #expect(ids == ["more"] + (1..<RoomLink.mostInForce).reversed().map { "l\($0 + 10)" })
        },
        StoreFact("a refused change of a link changes nothing; links outlive their author and end with the room") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.room("tea", ann, bob)
            let link = try await fixture.link("l1", into: tea, by: ann)
            let refuse: Authorization = { roles in
                #expect(roles.requester == .member)
                throw RightsViolation.notAModerator
            }
            await #expect(throws: RightsViolation.notAModerator) {
                try await fixture.store.removeLink(link.id, of: tea, by: bob.id, authorize: refuse)
            }
            await #expect(throws: RightsViolation.notAModerator) {
                try await fixture.store.addLink(
                    RoomLink(id: LinkID(trusted: "l2"), author: bob.id, since: 5), code: TokenHash("x"), to: tea,
                    authorize: refuse)
            }
            #expect(try await fixture.store.links(of: tea, at: 9) == [link])
            #expect(try await fixture.store.eraseUser(ann.id, at: 7).value)
            try await fixture.store.finishCleanups()
            #expect(try await fixture.store.links(of: tea, at: 9) == [link])
            await #expect(throws: StoreError.self) { try await fixture.follow("l1", by: ann) }
            #expect(try await fixture.database.count(.links) == 1)
            _ = try await fixture.store.deleteThread(tea, by: bob.id, authorize: anyone)
            #expect(try await fixture.database.count(.links) == 0)
            #expect(try await fixture.follow("l1", by: bob).value == nil)
        },
        StoreFact("links, invitations and requests are deleted after their end, the oldest first, and no others") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (cat, tea) = (try await fixture.user("cat"), try await fixture.room("tea", ann))
            for (id, until) in [("l1", Int64?.none), ("l2", 20), ("l3", 10), ("l4", nil)] {
                _ = try await fixture.link(id, into: tea, by: ann, until: until, uses: id == "l4" ? 1 : nil)
            }
            for (user, until) in [(bob, Int64?.none), (cat, 10)] {
                let invitation = Invitation(by: ann.id, text: nil, since: 5, until: until)
                _ = try await fixture.change(.invite(invitation), of: user, in: tea, by: ann)
            }
            let none = ThreadID(trusted: "none")
            let requests = [(bob, Int64(5)), (cat, 10)]
            for (user, since) in requests {
                _ = try await fixture.change(
                    .request(JoinRequest(text: nil, since: since, state: .open)), of: user, in: none, by: user,
                    at: since)
            }
            // The use is at 7, and the invitation and the request of the user end with the membership.
            #expect(try await fixture.follow("l4", by: cat).value?.isNewMember == true)
            func counts() async throws -> [Int64] {
                [
                    try await fixture.database.count(.links), try await fixture.database.count(.invitations),
                    try await fixture.database.count(.joinRequests),
                ]
            }
            #expect(try await counts() == [4, 1, 2])
            let store = fixture.store
            #expect(try await store.removeEndedEntrances(before: 7, limit: 9) == 0)
            #expect(try await store.removeEndedEntrances(before: 30, limit: 0) == 0)
            #expect(try await store.removeEndedEntrances(before: 8, limit: 9) == 1)
            #expect(try await store.linkedRoom(TokenHash("code of l4"), for: cat.id) == nil)
            #expect(try await store.removeEndedEntrances(before: 30, limit: 1) == 1)
            #expect(try await store.linkedRoom(TokenHash("code of l3"), for: cat.id) == nil)
            #expect(try await counts() == [2, 1, 2])
            let end = 10 + JoinRequest.lifetime
            #expect(try await store.removeEndedEntrances(before: end, limit: 9) == 2)
            #expect(try await counts() == [1, 1, 1])
            #expect(try await store.requests(of: cat.id, at: 10).map(\.thread) == [none])
            #expect(try await store.removeEndedEntrances(before: .max, limit: 9) == 1)
            #expect(try await counts() == [1, 1, 0])
            #expect(try await store.removeEndedEntrances(before: .min, limit: 9) == 0)
            #expect(try await store.links(of: tea, at: 5).map(\.id.text) == ["l1"])
        },
        StoreFact("of users who follow a link at the same time, exactly as many join as it has uses") { fixture in
            let ann = try await fixture.user("ann")
            let tea = try await fixture.room("tea", ann)
            _ = try await fixture.link("l1", into: tea, by: ann, uses: 3)
            var users: [User] = []
            for number in 0..<8 { users.append(try await fixture.user("user\(number)")) }
            let store = fixture.store
            let joined = try await withThrowingTaskGroup(of: Bool.self) { group in
                for user in users {
                    group.addTask {
                        try await store.follow(TokenHash("code of l1"), by: user, at: 7, authorize: anyone)
                            .value?.isNewMember == true
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(joined == 3)
            #expect(try await fixture.store.members(of: tea, after: nil, limit: 20).count == 4)
        },
    ]
}

extension StoreFixture {
    /// Adds a link whose code has the hash `code of ID`.
    fileprivate func link(
        _ id: String, into thread: ThreadID, by author: User, since: Int64 = 5, until: Int64? = nil,
        uses: Int64? = nil
    ) async throws -> RoomLink {
        let link = RoomLink(id: LinkID(trusted: id), author: author.id, since: since, until: until, uses: uses)
        let change = try await store.addLink(link, code: TokenHash("code of \(id)"), to: thread, authorize: anyone)
        #expect(change.value && change.outbox.isEmpty)
        return link
    }

    @discardableResult
    fileprivate func follow(_ id: String, by user: User, at now: Int64 = 7) async throws -> StateChange<JoinedRoom?> {
        try await store.follow(TokenHash("code of \(id)"), by: user, at: now, authorize: anyone)
    }

    fileprivate func remove(
        _ id: String, from thread: ThreadID, by user: User
    ) async throws -> StateChange<RoomLink?> {
        try await store.removeLink(LinkID(trusted: id), of: thread, by: user.id, authorize: anyone)
    }
}
