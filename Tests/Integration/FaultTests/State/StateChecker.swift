/// Compares what the log, the tables, the sockets and Redis say of members, roles, titles, visibilities, invitations and blocks.
struct StateChecker {
    /// What does not agree.
    enum Violation: Hashable, Sendable {
        /// The imported members and the log add up to others than the table has.
        case members(thread: String, user: String, log: String?, table: String?)
        case title(thread: String, log: String, table: String)
        case visibility(thread: String, log: String, table: String)
        /// A join of a member, or an end of what is no membership: the log has a change twice, or lacks one.
        case impossibleChange(thread: String, seq: Int)
        /// Seqs with a gap or out of order.
        case seqs(thread: String, seq: Int)
        /// Redis and the store have different events at a seq.
        case window(thread: String, seq: Int)
        case rights(user: String, thread: String, isOld: Bool, has: StateFacts.Right, table: StateFacts.Right)
        case forgotten(StateFacts.Answered)
        case forgottenInvitation(StateFacts.Answered)
        /// A membership ends the invitation.
        case invitedMember(thread: String, user: String)
        case forgottenBlock(StateFacts.Block, isMade: Bool)
        case deletedButThere(String)
        case voidButTaken(String)
        case outbox(Int)
    }

    static func check(_ facts: StateFacts) -> [Violation] {
        var violations: [Violation] = []
        for (id, thread) in facts.threads.sorted(by: { $0.key < $1.key }) {
            check(id, thread, &violations)
        }
        for socket in facts.sockets { check(socket, facts, &violations) }
        for answered in facts.answered {
            let isMember = facts.threads[answered.thread]?.members[answered.user] != nil
            if isMember != answered.isMember { violations.append(.forgotten(answered)) }
        }
        for answered in facts.answeredInvitations {
            let isInvited = facts.threads[answered.thread]?.invited.contains(answered.user) == true
            if isInvited != answered.isMember { violations.append(.forgottenInvitation(answered)) }
        }
        for (block, isMade) in facts.answeredBlocks where facts.blocks.contains(block) != isMade {
            violations.append(.forgottenBlock(block, isMade: isMade))
        }
        violations += facts.deletedButThere.map { .deletedButThere($0) }
        violations += facts.voidButTaken.map { .voidButTaken($0) }
        if facts.outbox > 0 { violations.append(.outbox(facts.outbox)) }
        return violations
    }

    /// The log adds up to the tables.
    private static func check(_ id: String, _ thread: StateFacts.Thread, _ violations: inout [Violation]) {
        var (members, last) = (thread.imported, 0)
        var (title, visibility) = (thread.importedTitle, thread.importedVisibility)
        for event in thread.log {
            if event.seq != last + 1 { violations.append(.seqs(thread: id, seq: event.seq)) }
            last = event.seq
            switch event.change {
            case .joined(let user):
                if members[user] != nil { violations.append(.impossibleChange(thread: id, seq: event.seq)) }
                members[user] = thread.isGroup && event.seq == 1 ? "owner" : "member"
            case .left(let user):
                if members.removeValue(forKey: user) == nil {
                    violations.append(.impossibleChange(thread: id, seq: event.seq))
                }
            case .role(let user, let role):
                if members[user] == nil { violations.append(.impossibleChange(thread: id, seq: event.seq)) }
                members[user] = role
            case .renamed(let new): title = new
            case .visibility(let new): visibility = new
            case .other: break
            }
        }
        for user in Set(members.keys).union(thread.members.keys).sorted() where members[user] != thread.members[user] {
            violations.append(.members(thread: id, user: user, log: members[user], table: thread.members[user]))
        }
        for user in thread.invited.sorted() where thread.members[user] != nil {
            violations.append(.invitedMember(thread: id, user: user))
        }
        if title != thread.title { violations.append(.title(thread: id, log: title, table: thread.title)) }
        if visibility != thread.visibility {
            violations.append(.visibility(thread: id, log: visibility, table: thread.visibility))
        }
        let stored = Dictionary(thread.log.map { ($0.seq, $0) }) { first, _ in first }
        for event in thread.window where stored[event.seq] != event {
            violations.append(.window(thread: id, seq: event.seq))
        }
    }

    /// A socket may do what the table allows, whether it was open during the faults or opened after them.
    private static func check(_ socket: StateFacts.Socket, _ facts: StateFacts, _ violations: inout [Violation]) {
        for (id, right) in socket.rights.sorted(by: { $0.key < $1.key }) {
            let wanted = wanted(by: socket.user, in: id, facts)
            guard right != wanted else { continue }
            violations.append(
                .rights(user: socket.user, thread: id, isOld: socket.isOld, has: right, table: wanted))
        }
    }

    private static func wanted(by user: String, in id: String, _ facts: StateFacts) -> StateFacts.Right {
        if let direct = facts.directs[id] {
            guard direct.users.contains(user) else { return .hidden }
            return direct.isBlocked ? .read : .write
        }
        let thread = facts.threads[id]
        switch thread?.members[user] {
        case nil: return thread?.visibility == "private" ? .hidden : .none
        case "read_only": return .read
        default: return thread?.mutes.contains(user) == true ? .read : .write
        }
    }
}
