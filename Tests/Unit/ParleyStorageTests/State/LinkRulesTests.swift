import ParleyModel
import ParleyStorage
import Testing

/// The decisions about links on values, without a store.
@Suite struct LinkRulesTests {
    private let bob = User(id: UserID(trusted: "bob"), name: "Bob")
    private let room = ThreadInfo(id: ThreadID(trusted: "t"), kind: .room, title: "tea", visibility: .private)

    private func link(_ id: String, until: Int64? = nil, uses: Int64? = nil, used: Int64 = 0) -> RoomLink {
        RoomLink(
            id: LinkID(trusted: id), author: UserID(trusted: "ann"), since: 7, until: until, uses: uses, used: used)
    }

    private func facts(_ link: RoomLink, _ role: Membership.Role?, isPresent: Bool = true) -> LinkFacts {
        let roles = MemberRoles(thread: room, requester: role, subject: role)
        return LinkFacts(link: link, member: MemberFacts(roles: roles, isSubjectPresent: isPresent))
    }

    @Test("a link that is in force makes a member and counts a use; a member takes none, also of one that is used up")
    func follow() throws {
        let once = link("a", until: 10, uses: 1)
        let joined = try StateRules.follow(bob, facts(once, nil), at: 9)
        #expect(joined.value?.isNewMember == true)
        #expect(
            joined.changes == [.addMember(bob.id, of: room.id, .member, at: 9), .useLink(once.id, of: room.id, at: 9)])
        #expect(joined.outbox == [OutboxEntry.Draft(thread: room.id, content: .append(.joined(bob)))])
        for used in [Int64(0), 1] {
            let again = try StateRules.follow(bob, facts(link("a", until: 10, uses: 1, used: used), .member), at: 9)
            #expect(again.value?.isNewMember == false && again.changes.isEmpty && again.outbox.isEmpty)
        }
    }

    @Test("a link shows a new member what the room's history shows")
    func history() throws {
        var facts = facts(link("a"), nil)
        facts.member.roles.history = .sinceJoining
        let joined = try StateRules.follow(bob, facts, at: 9)
        #expect(joined.value?.membership.start == .joining(entry: 0))
        #expect(joined.changes.first == .addMember(bob.id, of: room.id, .member, showing: .sinceJoining, at: 9))
    }

    @Test("a link that has expired leads no user, and one that is used up no other user")
    func ended() throws {
        for (link, role) in [
            (link("a", until: 9), nil), (link("a", until: 9), Membership.Role.owner),
            (link("a", uses: 2, used: 2), nil),
        ] {
            let decision = try StateRules.follow(bob, facts(link, role), at: 9)
            #expect(decision.value == nil && decision.changes.isEmpty && decision.outbox.isEmpty)
        }
        #expect(throws: StoreError.self) { try StateRules.follow(bob, facts(link("a"), nil, isPresent: false), at: 9) }
    }

    @Test("a new link takes the place of ended ones, and a full room gets none")
    func addLink() throws {
        let roles = facts(link("a"), .owner).member.roles
        let others = (1..<RoomLink.mostInForce).map { link("b\($0)") }
        let code = TokenHash("hash")
        let added = try StateRules.addLink(
            link("new"), code: code, roles, beside: others + [link("old", until: 7), link("out", uses: 1, used: 1)])
        #expect(added.value)
        #expect(
            added.changes == [
                .removeLinks([LinkID(trusted: "old"), LinkID(trusted: "out")], of: room.id),
                .addLink(link("new"), code: code, to: room.id),
            ])
        let refused = try StateRules.addLink(link("new"), code: code, roles, beside: others + [link("last")])
        #expect(!refused.value && refused.changes.isEmpty)
    }

    @Test("only a link of the room is removed")
    func removeLink() {
        let present = [link("a"), link("b")]
        let removed = StateRules.removeLink(LinkID(trusted: "b"), of: room.id, among: present)
        #expect(removed.value == link("b") && removed.changes == [.removeLinks([LinkID(trusted: "b")], of: room.id)])
        let none = StateRules.removeLink(LinkID(trusted: "c"), of: room.id, among: present)
        #expect(none.value == nil && none.changes.isEmpty)
    }
}
