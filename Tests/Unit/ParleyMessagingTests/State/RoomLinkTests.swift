import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleyTestContracts
import Testing

/// Links that lead into rooms, through the use cases of two processes.
@Suite struct RoomLinkTests {
    private static let noLink = MessagingError.notFound("no such link")

    private static func request(seconds: Int64? = nil, uses: Int64? = nil) throws -> LinkRequest {
        try LinkRequest(seconds: seconds, uses: uses)
    }

    /// Makes a private room of a user.
    private func room(of owner: User, _ messaging: Messaging) async throws -> ThreadID {
        try await messaging.join(roomTitled: "Tea", visibility: .private, by: Caller(owner)).membership.thread.id
    }

    @Test("a link leads into a private room as join does, and a member takes no use")
    func follow() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (messaging, other) = (fixture.messaging(), fixture.messaging())
            fixture.node.subscribe(to: [.user(bob.id)]) { _ in }
            let room = try await room(of: ann, messaging)
            let (link, code) = try await messaging.makeLink(into: room, Self.request(uses: 1), by: Caller(ann))
            #expect(code.utf8.count == 22 && link.author == ann.id && link.uses == 1 && link.used == 0)
            // A stranger sees what is needed to decide; the room still does not exist for them.
            let seen = try await other.room(ofLink: code, for: Caller(bob))
            #expect(seen.thread.title == "Tea" && seen.thread.visibility == .private)
            #expect(seen.members == 1 && !seen.isMember)
            await #expect(throws: MessagingError.notFound("no such thread")) {
                try await other.membership(of: Caller(bob), in: room)
            }
            #expect(try await messaging.follow(link: code, by: Caller(ann)).isNew == false)
            #expect(try await messaging.links(of: room, by: Caller(ann)) == [link])

            let entrance = try await other.follow(link: code, by: Caller(bob))
            let receipt = try #require(entrance.receipt)
            #expect(entrance.isNew && entrance.membership.role == .member && entrance.membership.thread.id == room)
            #expect(fixture.told(bob).last == .added(entrance.membership, after: receipt.position.seq - 1))
            #expect(try await messaging.links(of: room, by: Caller(ann)).isEmpty)
            // The last use is taken, and the user may repeat the call.
            let again = try await messaging.follow(link: code, by: Caller(bob))
            #expect(!again.isNew && again.membership.role == .member)
            #expect(try await messaging.room(ofLink: code, for: Caller(bob)).members == 2)
            let cat = try await fixture.user("cat")
            await #expect(throws: Self.noLink) { try await messaging.follow(link: code, by: Caller(cat)) }
            await #expect(throws: Self.noLink) { try await messaging.room(ofLink: code, for: Caller(cat)) }
        }
    }

    @Test("unknown, expired, used up and revoked codes get the same answer")
    func ended() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let messaging = fixture.messaging()
            let room = try await room(of: ann, messaging)
            let (_, short) = try await messaging.makeLink(into: room, Self.request(seconds: 60), by: Caller(ann))
            let (link, revoked) = try await messaging.makeLink(into: room, Self.request(), by: Caller(ann))
            try await messaging.revokeLink(link.id, of: room, by: Caller(ann))
            await #expect(throws: Self.noLink) { try await messaging.revokeLink(link.id, of: room, by: Caller(ann)) }
            let unknown = String(short.reversed())
            for code in [unknown, revoked, "", "x", short + "=", short + "A"] {
                await #expect(throws: Self.noLink, "\(code)") {
                    try await messaging.follow(link: code, by: Caller(bob))
                }
                await #expect(throws: Self.noLink, "\(code)") {
                    try await messaging.room(ofLink: code, for: Caller(bob))
                }
            }
            fixture.clock.advance(milliseconds: 59_999)
            #expect(try await messaging.room(ofLink: short, for: Caller(bob)).isMember == false)
            fixture.clock.advance(milliseconds: 1)
            for user in [ann, bob] {
                await #expect(throws: Self.noLink) { try await messaging.room(ofLink: short, for: Caller(user)) }
                await #expect(throws: Self.noLink) { try await messaging.follow(link: short, by: Caller(user)) }
            }
        }
    }

    @Test("a banned or removed user does not join by a link and takes no use")
    func refused() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let messaging = fixture.messaging()
            let room = try await room(of: ann, messaging)
            let (_, code) = try await messaging.makeLink(into: room, Self.request(uses: 1), by: Caller(ann))
            let ban = try await messaging.sanction(
                "bob", in: room, try SanctionRequest(.ban, seconds: nil, reason: "spam"), by: Caller(ann))
            await #expect(throws: MessagingError(ban.sanction)) {
                try await messaging.follow(link: code, by: Caller(bob))
            }
            try await messaging.endSanction(.ban, of: "bob", in: room, by: Caller(ann))
            _ = try await messaging.setMember("bob", of: room, role: nil, by: Caller(ann))
            try await messaging.removeMember("bob", from: room, by: Caller(ann))
            await #expect(throws: MessagingError(RightsViolation.removed)) {
                try await messaging.follow(link: code, by: Caller(bob))
            }
            #expect(try await messaging.links(of: room, by: Caller(ann)).map(\.used) == [0])
        }
    }

    @Test("the owner and moderators manage links, and a direct thread has none")
    func rights() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let messaging = fixture.messaging()
            let room = try await room(of: ann, messaging)
            func expect(_ error: MessagingError, in thread: ThreadID) async throws {
                let id = LinkID(trusted: "none")
                await #expect(throws: error) {
                    _ = try await messaging.makeLink(into: thread, Self.request(), by: Caller(bob))
                }
                await #expect(throws: error) { try await messaging.links(of: thread, by: Caller(bob)) }
                await #expect(throws: error) { try await messaging.revokeLink(id, of: thread, by: Caller(bob)) }
            }
            try await expect(.notFound("no such thread"), in: room)
            for role in [Membership.Role.member, .readOnly] {
                _ = try await messaging.setMember("bob", of: room, role: role, by: Caller(ann))
                try await expect(MessagingError(RightsViolation.notAModerator), in: room)
            }
            _ = try await messaging.setMember("bob", of: room, role: .moderator, by: Caller(ann))
            let (link, _) = try await messaging.makeLink(into: room, Self.request(), by: Caller(bob))
            // It outlives the power of its author.
            _ = try await messaging.setMember("bob", of: room, role: .member, by: Caller(ann))
            #expect(try await messaging.links(of: room, by: .commandLine) == [link])
            try await messaging.revokeLink(link.id, of: room, by: .commandLine)
            await #expect(throws: Self.noLink) { try await messaging.revokeLink(link.id, of: room, by: .commandLine) }
            let direct = try await messaging.openDirect(with: "bob", by: Caller(ann)).0
            try await expect(MessagingError(RightsViolation.directThread), in: direct)
        }
    }

    @Test("a link has a bounded time and a bounded number of uses, and a room a bounded number of links")
    func bounds() async throws {
        for (seconds, uses) in [(Int64?(0), Int64?.none), (RoomLink.longestSeconds + 1, nil), (nil, 0), (nil, 10_001)] {
            #expect(throws: MessagingError.self) { try Self.request(seconds: seconds, uses: uses) }
        }
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            let messaging = fixture.messaging()
            let room = try await room(of: ann, messaging)
            for _ in 0..<RoomLink.mostInForce {
                _ = try await messaging.makeLink(into: room, Self.request(), by: Caller(ann))
            }
            let full = MessagingError.conflict("the room has 50 links in force, which is the limit; revoke one first")
            await #expect(throws: full) {
                _ = try await messaging.makeLink(into: room, Self.request(), by: Caller(ann))
            }
        }
    }

    @Test("after thirty wrong codes within a minute, right ones are refused too, on every node, for this user alone")
    func guesses() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob, cat) = (
                try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("cat")
            )
            let rates = MemoryRateStore(clock: fixture.clock.wall)
            let (messaging, other) = (
                fixture.messaging(budgets: .forTests(rates: rates)), fixture.messaging(budgets: .forTests(rates: rates))
            )
            let room = try await room(of: ann, messaging)
            let (_, code) = try await messaging.makeLink(into: room, Self.request(), by: Caller(ann))
            for number in 0..<Messaging.wrongLinksPerMinute {
                await #expect(throws: Self.noLink) {
                    _ = try await (number.isMultiple(of: 2) ? messaging : other).room(ofLink: "x", for: Caller(bob))
                }
            }
            await #expect { try await other.room(ofLink: code, for: Caller(bob)) } throws: { error in
                if case MessagingError.rateLimited = error { true } else { false }
            }
            #expect(try await other.room(ofLink: code, for: Caller(cat)).members == 1)
            fixture.clock.advance(milliseconds: 60_000)
            #expect(try await other.follow(link: code, by: Caller(bob)).isNew)
        }
    }
}
