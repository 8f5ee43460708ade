import ParleyMessaging
import ParleyModel
import ParleyTestContracts
import Testing

/// Ways into threads that are not public, through the use cases of two processes.
@Suite struct EntranceTests {
    @Test("an invited user sees the title, comes in or declines, and a ban keeps them out")
    func invitation() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (messaging, other) = (fixture.messaging(), fixture.messaging())
            let room = try await messaging.join(
                roomTitled: "Tea", visibility: .private, by: Caller(ann)
            ).membership.thread.id
            func own() async throws -> [String] {
                try await other.invitations(of: Caller(bob), after: nil, limit: 9).elements.map(\.thread.title)
            }
            let terms = try EntranceTerms(text: "come", seconds: 60)
            let made = try await messaging.invite("bob", to: room, terms, by: Caller(ann))
            #expect(made.isNew && made.record.invitation.until == fixture.clock.milliseconds + 60_000)
            #expect(try await messaging.invite("bob", to: room, terms, by: Caller(ann)).isNew == false)
            #expect(try await own() == ["Tea"])
            await #expect(throws: MessagingError.notFound("no such thread")) {
                try await other.membership(of: Caller(bob), in: room)
            }
            try await other.declineInvitation(to: room, by: Caller(bob))
            #expect(try await own().isEmpty)
            let none = MessagingError.notFound("you have no invitation to this thread")
            await #expect(throws: none) { try await other.acceptInvitation(to: room, by: Caller(bob)) }
            _ = try await messaging.invite("bob", to: room, terms, by: Caller(ann))
            fixture.clock.advance(milliseconds: 60_000)
            await #expect(throws: none) { try await other.acceptInvitation(to: room, by: Caller(bob)) }
            _ = try await messaging.invite("bob", to: room, terms, by: Caller(ann))
            try await other.acceptInvitation(to: room, by: Caller(bob))
            #expect(try await other.membership(of: Caller(bob), in: room).role == .member)
            // A member may repeat the call, and is not invited.
            try await other.acceptInvitation(to: room, by: Caller(bob))
            await #expect(throws: MessagingError.conflict("the user is a member of this thread")) {
                try await messaging.invite("bob", to: room, terms, by: Caller(ann))
            }
            let ban = try SanctionRequest(.ban, seconds: nil, reason: nil)
            _ = try await messaging.sanction("bob", in: room, ban, by: Caller(ann))
            await #expect(throws: MessagingError(RightsViolation.banned)) {
                try await messaging.invite("bob", to: room, terms, by: Caller(ann))
            }
        }
    }

    @Test("a request is answered alike for a private room, a group and an ID that does not exist")
    func request() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            _ = try await fixture.user("cat")
            let (messaging, other) = (fixture.messaging(), fixture.messaging())
            let room = try await messaging.join(
                roomTitled: "Tea", visibility: .private, by: Caller(ann)
            ).membership.thread.id
            let group = try await messaging.createGroup(
                titled: nil, with: [("cat", UserReference(name: "cat"))], by: Caller(ann))
            let terms = try EntranceTerms(text: "please")
            let ids = [room, group, ThreadID(trusted: "none")]
            for id in ids {
                let made = try await other.request(id, terms, by: Caller(bob))
                #expect(made.isNew && made.request.since == fixture.clock.milliseconds)
                #expect(try await other.request(id, terms, by: Caller(bob)).isNew == false)
            }
            #expect(try await messaging.requests(in: room, after: nil, limit: 9, by: Caller(ann)).elements.count == 1)
            try await messaging.refuseRequest(of: "bob", in: room, by: Caller(ann))
            #expect(Set(try await other.requests(of: Caller(bob)).map(\.thread)) == Set(ids))
            for id in ids { try await other.withdrawRequest(for: id, by: Caller(bob)) }
            for id in ids { #expect(try await other.request(id, terms, by: Caller(bob)).isNew) }
            #expect(try await messaging.requests(in: room, after: nil, limit: 9, by: Caller(ann)).elements.isEmpty)
            let member = try await messaging.acceptRequest(of: "bob", in: group, by: Caller(ann))
            #expect(member.isNew && member.role == .member)
            #expect(try await other.membership(of: Caller(bob), in: group).thread.kind == .group)
        }
    }

    @Test("a group names an unknown member in its error, and its owner hands it over")
    func group() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let messaging = fixture.messaging()
            await #expect(throws: MessagingError.notFound("no such user: dan")) {
                try await messaging.createGroup(
                    titled: nil, with: [("bob", UserReference(name: "bob")), ("dan", UserReference(name: "dan"))],
                    by: Caller(ann))
            }
            let group = try await messaging.createGroup(
                titled: nil, with: [("bob", UserReference(name: "bob"))], by: Caller(ann))
            await #expect(throws: MessagingError.invalid("a group is always private")) {
                try await messaging.setVisibility(.public, of: group, by: Caller(ann))
            }
            #expect(try await messaging.handOver(group, to: "bob", by: Caller(ann)).id == bob.id)
            #expect(try await messaging.thread(group, of: Caller(ann)).membership.role == .moderator)
            #expect(try await messaging.thread(group, of: Caller(bob)).membership.role == .owner)
            await #expect(throws: MessagingError(RightsViolation.notTheOwner)) {
                try await messaging.handOver(group, to: "bob", by: Caller(ann))
            }
        }
    }
}
