import ParleyMessaging
import ParleyModel
import ParleyTestContracts
import Testing

/// Mutes and bans, through the use cases of two processes.
@Suite struct SanctionTests {
    private static func request(
        _ kind: Sanction.Kind, seconds: Int64? = nil, reason: String? = nil
    ) throws -> SanctionRequest {
        try SanctionRequest(kind, seconds: seconds, reason: reason)
    }

    @Test("a muted member may read but not write, until the time is over, a member again or not")
    func mute() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (messaging, other) = (fixture.messaging(), fixture.messaging())
            fixture.node.subscribe(to: [.user(bob.id)]) { _ in }
            let room = try await messaging.join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            _ = try await messaging.join(roomTitled: "Tea", by: Caller(bob))
            let record = try await messaging.sanction(
                "bob", in: room, Self.request(.mute, seconds: 60, reason: "spam"), by: Caller(ann))
            #expect(record.author == ann.id && record.sanction.until == fixture.clock.milliseconds + 60_000)
            #expect(fixture.told(bob).last == .changed)

            func write() async throws {
                let membership = try await other.membership(of: Caller(bob), in: room)
                _ = try await other.send(NewMessage("hello"), by: Caller(bob), as: membership)
            }
            let muted = MessagingError(record.sanction)
            await #expect(throws: muted) { try await write() }
            #expect(muted.code == .forbidden && muted.message.hasSuffix("Z: spam"))
            #expect(try await other.thread(room, of: Caller(bob)).membership.mute == record.sanction)
            // The mute neither goes with the membership nor comes with another one.
            _ = try await messaging.leave(room, by: Caller(bob))
            _ = try await messaging.join(roomTitled: "Tea", by: Caller(bob))
            if case .added(let membership, _)? = fixture.told(bob).last {
                #expect(membership.mute == record.sanction)
            } else {
                Issue.record("no membership was announced")
            }
            await #expect(throws: muted) { try await write() }
            fixture.clock.advance(milliseconds: 59_999)
            await #expect(throws: muted) { try await write() }
            fixture.clock.advance(milliseconds: 1)
            try await write()
            #expect(try await other.thread(room, of: Caller(bob)).membership.mute == nil)
            #expect(
                try await other.threads(of: Caller(bob), after: nil, limit: 9).elements.map(\.membership.mute) == [nil])
            // One that is over cannot be ended, and is not listed.
            #expect(try await messaging.sanctions(in: room, after: nil, limit: 9, by: Caller(ann)).elements.isEmpty)
            await #expect(throws: MessagingError.notFound("no mute of this user is in force in this thread")) {
                try await messaging.endSanction(.mute, of: "bob", in: room, by: Caller(ann))
            }
        }
    }

    @Test("a banned user is removed, and stays away until the ban is over or ended")
    func ban() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let messaging = fixture.messaging()
            fixture.node.subscribe(to: [.user(bob.id)]) { _ in }
            let room = try await messaging.join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            _ = try await messaging.join(roomTitled: "Tea", by: Caller(bob))
            let record = try await messaging.sanction(
                "bob", in: room, Self.request(.ban, seconds: 60), by: Caller(ann))
            if case .removed(room, .some)? = fixture.told(bob).last {} else { Issue.record("not told of the removal") }
            let banned = MessagingError(record.sanction)
            func expectKeptOut() async {
                await #expect(throws: banned) { try await messaging.join(roomTitled: "Tea", by: Caller(bob)) }
                await #expect(throws: banned) {
                    try await messaging.setMember("bob", of: room, role: nil, by: Caller(bob))
                }
                // The owner and operators have to end the ban first.
                await #expect(throws: MessagingError(RightsViolation.banned)) {
                    try await messaging.setMember("bob", of: room, role: nil, by: Caller(ann))
                }
                await #expect(throws: MessagingError(RightsViolation.banned)) {
                    try await messaging.setMember(bob, of: room, role: nil, by: .commandLine)
                }
            }
            await expectKeptOut()
            #expect(try await messaging.joinableRooms(prefix: "", for: Caller(bob), limit: 9).isEmpty)
            fixture.clock.advance(milliseconds: 60_000)
            #expect(try await messaging.join(roomTitled: "Tea", by: Caller(bob)).isNew)

            let final = try await messaging.sanction(bob, in: room, Self.request(.ban), by: .commandLine)
            #expect(final.author == nil && final.sanction.until == nil)
            #expect(MessagingError(final.sanction).message == "you are banned from this thread")
            await #expect(throws: MessagingError(final.sanction)) {
                try await messaging.join(roomTitled: "Tea", by: Caller(bob))
            }
            try await messaging.endSanction(.ban, of: "bob", in: room, by: Caller(ann))
            #expect(try await messaging.join(roomTitled: "Tea", by: Caller(bob)).isNew)
        }
    }

    @Test("a ban whose event waits is not taken for the user's own leave, so a private room stays hidden")
    func leaveAfterBan() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let messaging = fixture.messaging()
            let room = try await messaging.join(roomTitled: "Tea", visibility: .private, by: Caller(ann)).membership
                .thread.id
            _ = try await messaging.setMember("bob", of: room, role: nil, by: Caller(ann))
            // Without the relay, the event of the ban stays in the outbox.
            let store: any StateStore = fixture.store
            _ = try await store.sanction(
                bob, in: room, Sanction(.ban), author: ann.id, by: ann.id, at: 5
            ) { _ in }
            await #expect(throws: MessagingError.notFound("no such thread")) {
                try await messaging.leave(room, by: Caller(bob))
            }
        }
    }

    @Test("the owner decides about everyone but themselves, a moderator about plain members and strangers")
    func rights() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (cat, dan) = (try await fixture.user("cat"), try await fixture.user("dan"))
            let messaging = fixture.messaging()
            let room = try await messaging.join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            for user in [bob, cat] { _ = try await messaging.join(roomTitled: "Tea", by: Caller(user)) }
            _ = try await messaging.setMember("bob", of: room, role: .moderator, by: Caller(ann))
            func refusal(_ subject: UserReference, by user: User) async -> MessagingError? {
                do throws(MessagingError) {
                    let mute = try SanctionRequest(.mute, seconds: 5, reason: nil)
                    _ = try await messaging.sanction(subject, in: room, mute, by: Caller(user))
                    try await messaging.endSanction(.mute, of: subject, in: room, by: Caller(user))
                    return nil
                } catch {
                    return error
                }
            }
            let (notAModerator, themselves) = (
                MessagingError(RightsViolation.notAModerator), MessagingError(RightsViolation.themselves)
            )
            let cases: [(UserReference, User, MessagingError?)] = [
                ("bob", ann, nil), ("cat", ann, nil), ("dan", ann, nil), ("ann", ann, themselves),
                ("ann", bob, notAModerator), ("bob", bob, notAModerator), ("cat", bob, nil), ("dan", bob, nil),
                ("dan", cat, notAModerator), ("cat", cat, notAModerator), ("cat", dan, .notAMember),
                ("nobody", ann, .notFound("no such user")),
            ]
            for (subject, user, expected) in cases {
                #expect(await refusal(subject, by: user) == expected, "\(subject) by \(user.name)")
            }
            for (user, expected) in [(cat, notAModerator), (dan, MessagingError.notAMember)] {
                await #expect(throws: expected) {
                    try await messaging.sanctions(in: room, after: nil, limit: 9, by: Caller(user))
                }
            }
            // A private room does not exist for strangers, and a direct thread has no moderators.
            try await messaging.setVisibility(.private, of: room, by: Caller(ann))
            #expect(await refusal("cat", by: dan) == .notFound("no such thread"))
            let direct = try await messaging.openDirect(with: "bob", by: Caller(ann)).thread
            for sanction in [Sanction.Kind.mute, .ban] {
                let request = try Self.request(sanction)
                await #expect(throws: MessagingError(RightsViolation.directThread)) {
                    try await messaging.sanction("bob", in: direct, request, by: Caller(ann))
                }
                await #expect(throws: MessagingError(RightsViolation.directThread)) {
                    try await messaging.sanction(bob, in: direct, request, by: .commandLine)
                }
            }
        }
    }

    @Test(
        "times and reasons are limited",
        arguments: [
            (Int64(0), nil), (-1, nil), (Sanction.longestSeconds + 1, nil), (.max, nil), (nil, ""), (nil, " \u{3000}"),
            (nil, "a\nb"), (nil, "\u{0}"), (nil, "a\u{2028}b"), (nil, "\u{200b}"), (nil, "\u{2800}"),
            (nil, "a\u{202e}b"), (nil, String(repeating: "x", count: 501)),
        ] as [(Int64?, String?)])
    func limits(seconds: Int64?, reason: String?) {
        #expect(throws: MessagingError.self) { try SanctionRequest(.ban, seconds: seconds, reason: reason) }
    }

    @Test("the largest values are allowed")
    func largest() throws {
        let request = try SanctionRequest(
            .ban, seconds: Sanction.longestSeconds, reason: String(repeating: "é", count: Sanction.reasonScalars))
        #expect(request.seconds == Sanction.longestSeconds)
    }
}
