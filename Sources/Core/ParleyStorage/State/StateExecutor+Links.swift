package import ParleyModel

extension StateExecutor {
    package func addLink(
        _ link: RoomLink, code: TokenHash, to thread: ThreadID, authorize: @escaping Authorization
    ) async throws -> StateChange<Bool> {
        try await authorized { transaction in
            let roles = try transaction.members(
                of: thread, requester: link.author, subject: nil, isSubjectHeld: false
            ).roles
            try RefusedChange.check(roles, authorize)
            return AuditRules.linkMade(
                try StateRules.addLink(link, code: code, roles, beside: transaction.links(of: thread)), link,
                into: thread)
        }
    }

    package func removeLink(
        _ link: LinkID, of thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomLink?> {
        try await authorized { transaction in
            let roles = try transaction.members(
                of: thread, requester: requester, subject: nil, isSubjectHeld: false
            ).roles
            try RefusedChange.check(roles, authorize)
            return AuditRules.linkRevoked(
                StateRules.removeLink(link, of: thread, among: try transaction.links(of: thread)), of: thread, by: actor
            )
        }
    }

    package func follow(
        _ code: TokenHash, by user: User, at milliseconds: Int64, authorize: @escaping Authorization
    ) async throws -> StateChange<JoinedRoom?> {
        try await authorized { transaction in
            guard let facts = try transaction.link(code, for: user.id) else { return StateDecision(nil) }
            let decision = try StateRules.follow(user, facts, at: milliseconds)
            // The holder of a code that does not lead them learns nothing about the room.
            if decision.value?.isNewMember == true { try RefusedChange.check(facts.member.roles, authorize) }
            return decision
        }
    }
}
