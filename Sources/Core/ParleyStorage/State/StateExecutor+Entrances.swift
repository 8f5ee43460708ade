package import ParleyModel

extension StateExecutor {
    package func createGroup(
        _ group: NewGroup, at milliseconds: Int64
    ) async throws(StoreError) -> StateChange<GroupCreation> {
        try StoredText.refuseNUL(in: group.title ?? "", as: "title")
        let outcome = try await transact { transaction in
            let facts = try transaction.group(group.id, by: group.maker.id, of: group.all.map(\.id))
            return AuditRules.groupCreated(try EntranceRules.create(group, facts, at: milliseconds), group)
        }
        switch outcome {
        case .success(let change): return change
        case .failure(let refusal): throw .failed("a group was refused: \(refusal.error)")
        }
    }

    package func changeEntrance(
        _ change: EntranceChange, of user: User, in thread: ThreadID, by requester: UserID, at milliseconds: Int64,
        authorize: @escaping @Sendable (EntranceFacts) throws -> Void
    ) async throws -> StateChange<EntranceOutcome> {
        switch change {
        case .invite(let invitation): try StoredText.refuseNUL(in: invitation.text ?? "", as: "text")
        case .request(let request): try StoredText.refuseNUL(in: request.text ?? "", as: "text")
        default: break
        }
        let outcome = try await transact { transaction in
            let facts = try transaction.entrance(
                of: thread, requester: requester, subject: user.id, at: milliseconds)
            do { try authorize(facts) } catch { throw RefusedChange(error: error) }
            let decision = try EntranceRules.decide(
                change, of: user, in: thread, by: requester, facts, at: milliseconds)
            return AuditRules.entranceChanged(decision, change, of: user.id, in: thread, by: requester)
        }
        switch outcome {
        case .success(let change): return change
        case .failure(let refusal): throw refusal.error
        }
    }
}
