package import ParleyModel

/// The rules of state changes: from the facts of a transaction to changes of the tables and entries of the outbox. The
/// caller has authorised the change.
package enum StateRules {
    // MARK: Members

    /// Returns the room that a user enters by a title: the user's own room that is not public, if there is exactly one, and
    /// otherwise the public room.
    /// - Parameters:
    ///   - own: The user's memberships in rooms with the title.
    ///   - listed: The public room with the title, if there is one.
    /// - Returns: `nil` if the user enters a new room.
    package static func entered(_ own: [Membership], or listed: ThreadInfo?) -> ThreadInfo? {
        let closed = own.filter { $0.thread.visibility != .public }
        return closed.count == 1 ? closed[0].thread : listed
    }

    /// - Throws: `StoreError.failed` if the user is unknown or erased.
    package static func join(
        _ user: User, _ facts: RoomFacts, at milliseconds: Int64
    ) throws(StoreError) -> StateDecision<JoinedRoom> {
        guard facts.isUserPresent else { throw .failed("the joining user is unknown or erased") }
        let role = facts.role ?? (facts.isNew ? .owner : facts.restrictions.role(given: nil))
        // Nothing precedes the creator of a room.
        let history = facts.isNew ? .all : facts.history
        let start = facts.role == nil ? HistoryStart(ofNewMember: history) : facts.start
        var decision = StateDecision(
            JoinedRoom(
                membership: Membership(
                    thread: facts.room, role: role, mute: facts.sanctions.mute, start: start, options: facts.options),
                isNewMember: facts.role == nil))
        guard facts.role == nil else { return decision }
        let room = facts.room.id
        decision.changes = [.addMember(user.id, of: room, role, showing: history, at: milliseconds)]
        decision.announce(.joined(user), in: room)
        if role == .readOnly { decision.announce(.role(user.id, role, by: user.id), in: room) }
        return decision
    }

    /// - Parameter role: `nil` keeps a member's role and gives a new member that of their restrictions.
    /// - Throws: `StoreError.failed` if there is no such thread.
    package static func setMember(
        _ user: User, role: Membership.Role?, by requester: UserID, _ facts: MemberFacts, at milliseconds: Int64
    ) throws(StoreError) -> StateDecision<MemberChange> {
        let (thread, before) = (try known(facts.roles), facts.roles.subject)
        var change = MemberChange(
            thread: thread, before: before, after: before, mute: facts.roles.sanctions.mute, start: facts.roles.start,
            options: facts.roles.options)
        guard facts.isSubjectPresent else { return StateDecision(change) }
        let after = role ?? before ?? facts.roles.restrictions.role(given: nil)
        change.after = after
        if before == nil { change.start = HistoryStart(ofNewMember: facts.roles.history) }
        var decision = StateDecision(change)
        if before == nil {
            let history = facts.roles.history
            decision.changes = [.addMember(user.id, of: thread.id, after, showing: history, at: milliseconds)]
            decision.announce(.joined(user, by: requester == user.id ? nil : requester), in: thread.id)
        } else if before != after {
            decision.changes = [.setRole(user.id, of: thread.id, after)]
        }
        if after != before ?? .member { decision.announce(.role(user.id, after, by: requester), in: thread.id) }
        return decision
    }

    /// - Parameter isRemoval: whether another user ends the membership.
    /// - Throws: `StoreError.failed` if there is no such thread.
    package static func removeMember(
        _ user: User, by requester: UserID, isRemoval: Bool, _ roles: MemberRoles, at milliseconds: Int64
    ) throws(StoreError) -> StateDecision<MemberChange> {
        let thread = try known(roles)
        var decision = StateDecision(MemberChange(thread: thread, before: roles.subject, after: nil))
        guard roles.subject != nil else { return decision }
        decision.changes = [.removeMember(user.id, of: thread.id)]
        if isRemoval { decision.changes.append(.restrict(user.id, in: thread.id, .removed, since: milliseconds)) }
        decision.announce(.left(user, by: requester), in: thread.id)
        return decision
    }

    /// - Returns: the value `nil` if the user is unknown or erased.
    /// - Throws: `StoreError.failed` if there is no such thread.
    package static func sanction(
        _ user: User, _ sanction: Sanction, author: UserID?, by requester: UserID, _ facts: MemberFacts,
        at milliseconds: Int64
    ) throws(StoreError) -> StateDecision<MemberChange?> {
        let thread = try known(facts.roles)
        guard facts.isSubjectPresent else { return StateDecision(nil) }
        let before = facts.roles.subject
        var change = MemberChange(thread: thread, before: before, after: before, mute: facts.roles.sanctions.mute)
        if sanction.kind == .mute { change.mute = sanction }
        if sanction.kind == .ban { change.after = nil }
        var decision = StateDecision<MemberChange?>(change)
        decision.changes = [.sanction(user.id, in: thread.id, sanction, author: author, since: milliseconds)]
        if before != nil, change.after == nil {
            decision.changes.append(.removeMember(user.id, of: thread.id))
            decision.announce(.left(user, by: requester), in: thread.id)
        }
        return decision
    }

    /// - Returns: as the value, the sanction; `nil` if there is none.
    package static func endSanction(
        _ kind: Sanction.Kind, of user: UserID, in thread: ThreadID, _ roles: MemberRoles
    ) -> StateDecision<Sanction?> {
        var decision = StateDecision(roles.sanctions[kind])
        if decision.value != nil { decision.changes = [.endSanction(kind, of: user, in: thread)] }
        return decision
    }

    private static func known(_ roles: MemberRoles) throws(StoreError) -> ThreadInfo {
        guard let thread = roles.thread else { throw .failed("there is no such thread") }
        return thread
    }

    // MARK: Threads

    /// - Returns: the value `nil` if there is no such room.
    package static func rename(
        _ thread: ThreadInfo?, to title: String, by requester: UserID
    ) -> StateDecision<RoomChange?> {
        guard let thread, thread.kind != .direct else { return StateDecision(nil) }
        // Compared by bytes: two spellings of a letter are two titles. A group's title may be made of its members' names.
        guard thread.kind == .group || !thread.title.utf8.elementsEqual(title.utf8) else {
            return StateDecision(RoomChange(before: thread, after: thread))
        }
        let after = thread.with(title: title)
        var decision = StateDecision<RoomChange?>(RoomChange(before: thread, after: after))
        decision.changes = [.setTitle(title, of: thread.id)]
        decision.announce(.renamed(title: title, by: requester), in: thread.id)
        return decision
    }

    /// - Returns: the value `nil` if there is no such room.
    package static func setVisibility(
        _ visibility: RoomVisibility, of thread: ThreadInfo?, by requester: UserID
    ) -> StateDecision<RoomChange?> {
        guard let thread, thread.kind == .room else { return StateDecision(nil) }
        let after = thread.with(visibility: visibility)
        var decision = StateDecision<RoomChange?>(RoomChange(before: thread, after: after))
        guard after != thread else { return decision }
        decision.changes = [.setVisibility(visibility, of: thread.id)]
        decision.announce(.visibility(visibility, by: requester), in: thread.id)
        return decision
    }

    /// - Returns: as the value, the history before; `nil` if there is no such room.
    package static func setHistory(
        _ history: RoomHistory, of thread: ThreadInfo?, before: RoomHistory
    ) -> StateDecision<RoomHistory?> {
        guard let thread, thread.kind != .direct else { return StateDecision(nil) }
        var decision = StateDecision<RoomHistory?>(before)
        if history != before { decision.changes = [.setHistory(history, of: thread.id)] }
        return decision
    }

    /// - Parameter before: The present details of the room.
    /// - Returns: the value `nil` if there is no such room.
    package static func setRoom(
        _ update: RoomUpdate, of thread: ThreadInfo?, before: RoomDetails
    ) -> StateDecision<RoomDetailsChange?> {
        guard let thread, thread.kind != .direct else { return StateDecision(nil) }
        let after = update.applied(to: before)
        var decision = StateDecision<RoomDetailsChange?>(RoomDetailsChange(before: before, after: after))
        if after != before { decision.changes = [.setRoom(after, of: thread.id)] }
        if after.options.picture != before.options.picture {
            decision.changes.append(.setPicture(after.options.picture, of: thread.id))
        }
        return decision
    }

    package static func deleteThread(_ thread: ThreadInfo, _ facts: DeletionFacts) -> StateDecision<DeletedThread?> {
        var decision = StateDecision<DeletedThread?>(DeletedThread(thread: thread, members: facts.members))
        decision.changes = [.endEpoch(facts.epoch, of: thread.id), .deleteThread(thread.id)]
        decision.outbox = [OutboxEntry.Draft(thread: thread.id, content: .forgetThread)]
        return decision
    }

    // MARK: Erasure

    /// The first transaction of an erasure; `ErasureStep` has the others.
    /// - Returns: as the value, whether the user exists.
    package static func eraseUser(
        _ user: UserID, isKnown: Bool, memberships: [HeldMembership], at milliseconds: Int64, by actor: AuditActor
    ) -> StateDecision<Bool> {
        var decision = StateDecision(isKnown)
        guard isKnown else { return decision }
        decision.changes = [.eraseUser(user, at: milliseconds, by: actor)]
        decision.end(memberships, of: user)
        return decision
    }
}

extension HistoryStart {
    /// The start for a user who becomes a member in this transaction; the entry is not known yet.
    fileprivate init?(ofNewMember history: RoomHistory) {
        guard history == .sinceJoining else { return nil }
        self = .joining(entry: 0)
    }
}

extension StateDecision {
    /// Ends memberships of an erased user, and has the logs of the threads redacted.
    mutating func end(_ memberships: [HeldMembership], of user: UserID) {
        guard !memberships.isEmpty else { return }
        changes.append(.leave(user, memberships.map(\.thread)))
        for membership in memberships.sorted(by: { $0.thread.text < $1.thread.text }) {
            if membership.kind != .direct { announce(.left(.erased(user), by: user), in: membership.thread) }
            outbox.append(OutboxEntry.Draft(thread: membership.thread, content: .redactUser(user)))
        }
    }
}
