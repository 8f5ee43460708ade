import ParleyModel
import ParleyStorage
import Testing

/// The decisions on values, without a store; the contract suites of the stores cover their execution.
@Suite struct StateRulesTests {
    private let ann = User(id: UserID(trusted: "ann"), name: "Ann")
    private let bob = User(id: UserID(trusted: "bob"), name: "Bob")
    private let room = ThreadInfo(id: ThreadID(trusted: "t"), kind: .room, title: "tea")

    private func facts(
        _ subject: Membership.Role?, _ restrictions: Restrictions = .none, isPresent: Bool = true
    ) -> MemberFacts {
        MemberFacts(
            roles: MemberRoles(thread: room, requester: .owner, subject: subject, restrictions: restrictions),
            isSubjectPresent: isPresent)
    }

    private func append(_ body: LogEvent.Body) -> OutboxEntry.Draft {
        OutboxEntry.Draft(thread: room.id, content: .append(body))
    }

    // MARK: Joining

    @Test(
        "who creates a room owns it; others get the role of their restrictions",
        arguments: [
            (true, Restrictions.none, Membership.Role.owner), (false, .none, .member),
            (false, Restrictions(isReadOnly: true), .readOnly), (true, Restrictions(isReadOnly: true), .owner),
        ])
    func join(isNew: Bool, restrictions: Restrictions, role: Membership.Role) throws {
        let facts = RoomFacts(
            room: room, isNew: isNew, isUserPresent: true, role: nil, restrictions: restrictions,
            history: .all)
        let decision = try StateRules.join(ann, facts, at: 7)
        #expect(decision.value.membership == Membership(thread: room, role: role) && decision.value.isNewMember)
        #expect(decision.changes == [.addMember(ann.id, of: room.id, role, at: 7)])
        let announced = role == .readOnly ? [append(.role(ann.id, role, by: ann.id))] : []
        #expect(decision.outbox == [append(.joined(ann))] + announced)
    }

    @Test("a member who joins again changes nothing, and an erased user cannot join")
    func joinAgain() throws {
        let known = RoomFacts(room: room, isNew: false, isUserPresent: true, role: .moderator, history: .all)
        let decision = try StateRules.join(ann, known, at: 7)
        #expect(decision.value.membership.role == .moderator && !decision.value.isNewMember)
        #expect(decision.changes.isEmpty && decision.outbox.isEmpty)
        let erased = RoomFacts(room: room, isNew: true, isUserPresent: false, role: nil, history: .all)
        #expect(throws: StoreError.failed("the joining user is unknown or erased")) {
            try StateRules.join(ann, erased, at: 7)
        }
    }

    @Test("the log of a room begins with a joining, except for its creator and for present members")
    func starts() throws {
        func join(isNew: Bool, _ role: Membership.Role?, _ start: HistoryStart?) throws -> StateDecision<JoinedRoom> {
            let facts = RoomFacts(
                room: room, isNew: isNew, isUserPresent: true, role: role, history: .sinceJoining, start: start)
            return try StateRules.join(ann, facts, at: 7)
        }
        let made = try join(isNew: true, nil, nil)
        #expect(made.value.membership.start == nil)
        #expect(made.changes == [.addMember(ann.id, of: room.id, .owner, showing: .all, at: 7)])
        let joined = try join(isNew: false, nil, nil)
        #expect(joined.value.membership.start == .joining(entry: 0))
        #expect(joined.changes == [.addMember(ann.id, of: room.id, .member, showing: .sinceJoining, at: 7)])
        #expect(try join(isNew: false, .member, .stored(4)).value.membership.start == .stored(4))
        var facts = facts(nil)
        facts.roles.history = .sinceJoining
        let added = try StateRules.setMember(bob, role: nil, by: ann.id, facts, at: 7)
        #expect(added.value.start == .joining(entry: 0))
        #expect(added.changes == [.addMember(bob.id, of: room.id, .member, showing: .sinceJoining, at: 7)])
        facts.roles.subject = .member
        facts.roles.start = .stored(4)
        let raised = try StateRules.setMember(bob, role: .moderator, by: ann.id, facts, at: 7)
        #expect(raised.value.start == .stored(4) && raised.changes == [.setRole(bob.id, of: room.id, .moderator)])
    }

    @Test("a history is changed once, and only that of a room")
    func history() {
        let decision = StateRules.setHistory(.sinceJoining, of: room, before: .all)
        #expect(decision.value == .all && decision.changes == [.setHistory(.sinceJoining, of: room.id)])
        #expect(decision.outbox.isEmpty)
        #expect(StateRules.setHistory(.all, of: room, before: .all).changes.isEmpty)
        let direct = ThreadInfo(id: ThreadInfo.directID(ann.id, bob.id), kind: .direct, title: "Bob")
        for thread in [direct, nil] {
            #expect(StateRules.setHistory(.sinceJoining, of: thread, before: .all).value == nil)
        }
    }

    // MARK: Members

    @Test("a new member is announced, and so is any role but member")
    func addMember() throws {
        let plain = try StateRules.setMember(bob, role: nil, by: ann.id, facts(nil), at: 7)
        #expect(plain.value == MemberChange(thread: room, before: nil, after: .member))
        #expect(plain.changes == [.addMember(bob.id, of: room.id, .member, at: 7)])
        #expect(plain.outbox == [append(.joined(bob, by: ann.id))])

        let restricted = Restrictions(isReadOnly: true)
        let silent = try StateRules.setMember(bob, role: nil, by: bob.id, facts(nil, restricted), at: 7)
        #expect(silent.value.after == .readOnly)
        #expect(silent.outbox == [append(.joined(bob)), append(.role(bob.id, .readOnly, by: bob.id))])

        let raised = try StateRules.setMember(bob, role: .moderator, by: ann.id, facts(nil, restricted), at: 7)
        #expect(raised.changes == [.addMember(bob.id, of: room.id, .moderator, at: 7)])
        #expect(raised.outbox == [append(.joined(bob, by: ann.id)), append(.role(bob.id, .moderator, by: ann.id))])
    }

    @Test("a member's role changes once")
    func setRole() throws {
        let raised = try StateRules.setMember(bob, role: .owner, by: ann.id, facts(.member), at: 7)
        #expect(raised.value == MemberChange(thread: room, before: .member, after: .owner))
        #expect(raised.changes == [.setRole(bob.id, of: room.id, .owner)])
        #expect(raised.outbox == [append(.role(bob.id, .owner, by: ann.id))])
        for role in [nil, Membership.Role.owner] {
            let same = try StateRules.setMember(bob, role: role, by: ann.id, facts(.owner), at: 7)
            #expect(same.value == MemberChange(thread: room, before: .owner, after: .owner))
            #expect(same.changes.isEmpty && same.outbox.isEmpty)
        }
    }

    @Test("an erased user is not added, and an unknown thread is an error")
    func nobody() throws {
        let decision = try StateRules.setMember(bob, role: .owner, by: ann.id, facts(nil, isPresent: false), at: 7)
        #expect(decision.value == MemberChange(thread: room, before: nil, after: nil))
        #expect(decision.changes.isEmpty && decision.outbox.isEmpty)
        let nowhere = MemberRoles(thread: nil, requester: nil, subject: nil)
        #expect(throws: StoreError.failed("there is no such thread")) {
            try StateRules.removeMember(bob, by: ann.id, isRemoval: true, nowhere, at: 7)
        }
    }

    @Test("only a removal by somebody else restricts the user", arguments: [false, true])
    func removeMember(isRemoval: Bool) throws {
        let roles = facts(.moderator).roles
        let decision = try StateRules.removeMember(bob, by: ann.id, isRemoval: isRemoval, roles, at: 7)
        #expect(decision.value == MemberChange(thread: room, before: .moderator, after: nil))
        let restriction = isRemoval ? [TableChange.restrict(bob.id, in: room.id, .removed, since: 7)] : []
        #expect(decision.changes == [.removeMember(bob.id, of: room.id)] + restriction)
        #expect(decision.outbox == [append(.left(bob, by: ann.id))])
        let stranger = try StateRules.removeMember(bob, by: ann.id, isRemoval: isRemoval, facts(nil).roles, at: 7)
        #expect(stranger.changes.isEmpty && stranger.outbox.isEmpty)
    }

    @Test("a mute changes no membership, and a ban ends one")
    func sanction() throws {
        let mute = Sanction(.mute, until: 9, reason: "spam")
        let muted = try StateRules.sanction(bob, mute, author: ann.id, by: ann.id, facts(.member), at: 7)
        #expect(muted.value == MemberChange(thread: room, before: .member, after: .member, mute: mute))
        #expect(muted.changes == [.sanction(bob.id, in: room.id, mute, author: ann.id, since: 7)])
        #expect(muted.outbox.isEmpty)

        let ban = Sanction(.ban)
        let banned = try StateRules.sanction(bob, ban, author: nil, by: ann.id, facts(.moderator), at: 7)
        #expect(banned.value == MemberChange(thread: room, before: .moderator, after: nil))
        let change = TableChange.sanction(bob.id, in: room.id, ban, author: nil, since: 7)
        #expect(banned.changes == [change, .removeMember(bob.id, of: room.id)])
        #expect(banned.outbox == [append(.left(bob, by: ann.id))])

        let stranger = try StateRules.sanction(bob, ban, author: nil, by: ann.id, facts(nil), at: 7)
        #expect(stranger.changes == [change] && stranger.outbox.isEmpty)
        let erased = try StateRules.sanction(bob, ban, author: nil, by: ann.id, facts(nil, isPresent: false), at: 7)
        #expect(erased.value == nil && erased.changes.isEmpty)
    }

    @Test("only a sanction of the kind is ended")
    func endSanction() {
        var roles = facts(.member).roles
        roles.sanctions = Sanctions(mute: Sanction(.mute))
        let ended = StateRules.endSanction(.mute, of: bob.id, in: room.id, roles)
        #expect(ended.value == Sanction(.mute))
        #expect(ended.changes == [.endSanction(.mute, of: bob.id, in: room.id)] && ended.outbox.isEmpty)
        let nothing = StateRules.endSanction(.ban, of: bob.id, in: room.id, roles)
        #expect(nothing.value == nil && nothing.changes.isEmpty)
    }

    // MARK: Threads

    @Test("a room gets another title, compared by bytes; a direct thread has none")
    func rename() {
        let decision = StateRules.rename(room, to: "café", by: ann.id)
        #expect(decision.changes == [.setTitle("café", of: room.id)])
        #expect(decision.outbox == [append(.renamed(title: "café", by: ann.id))])
        let composed = ThreadInfo(id: room.id, kind: .room, title: "cafe\u{301}")
        #expect(StateRules.rename(composed, to: "caf\u{e9}", by: ann.id).changes.count == 1)
        #expect(StateRules.rename(room, to: "tea", by: ann.id).value == RoomChange(before: room, after: room))
        #expect(StateRules.rename(room, to: "tea", by: ann.id).changes.isEmpty)
        let direct = ThreadInfo(id: room.id, kind: .direct, title: "")
        #expect(StateRules.rename(direct, to: "tea", by: ann.id).value == nil)
        #expect(StateRules.rename(nil, to: "tea", by: ann.id).value == nil)
    }

    @Test("a room gets another visibility once; a direct thread and an unknown one get none")
    func visibility() {
        let decision = StateRules.setVisibility(.private, of: room, by: ann.id)
        #expect(decision.changes == [.setVisibility(.private, of: room.id)])
        #expect(decision.outbox == [append(.visibility(.private, by: ann.id))])
        #expect(decision.value == RoomChange(before: room, after: room.with(visibility: .private)))
        let same = StateRules.setVisibility(.public, of: room, by: ann.id)
        #expect(same.changes.isEmpty && same.outbox.isEmpty && same.value == RoomChange(before: room, after: room))
        let direct = ThreadInfo(id: room.id, kind: .direct, title: "")
        #expect(StateRules.setVisibility(.public, of: direct, by: ann.id).value == nil)
        #expect(StateRules.setVisibility(.public, of: nil, by: ann.id).value == nil)
    }

    @Test("a title leads into the only closed room of one's own, else into the public one, else into a new one")
    func entered() {
        func own(_ id: String, _ visibility: RoomVisibility) -> Membership {
            let info = ThreadInfo(id: ThreadID(trusted: id), kind: .room, title: "tea", visibility: visibility)
            return Membership(thread: info, role: .member)
        }
        let (closed, unlisted) = (own("c", .private), own("u", .unlisted))
        #expect(StateRules.entered([closed], or: room) == closed.thread)
        #expect(StateRules.entered([own("t", .public), unlisted], or: room) == unlisted.thread)
        #expect(StateRules.entered([closed, unlisted], or: room) == room)
        #expect(StateRules.entered([closed, unlisted], or: nil) == nil)
        #expect(StateRules.entered([], or: nil) == nil)
    }

    @Test("a deleted thread ends its epoch and has its log forgotten")
    func deleteThread() {
        let decision = StateRules.deleteThread(room, DeletionFacts(members: [ann.id, bob.id], epoch: "e"))
        #expect(decision.value == DeletedThread(thread: room, members: [ann.id, bob.id]))
        #expect(decision.changes == [.endEpoch("e", of: room.id), .deleteThread(room.id)])
        #expect(decision.outbox == [OutboxEntry.Draft(thread: room.id, content: .forgetThread)])
    }
}
