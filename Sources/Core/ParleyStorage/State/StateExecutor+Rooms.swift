package import ParleyModel

/// Changes of the details of rooms.
extension StateExecutor {
    package func setRoom(
        _ update: RoomUpdate, of thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomDetailsChange?> {
        for (text, name) in [(update.topic, "topic"), (update.description, "description"), (update.rules, "rules")] {
            try StoredText.refuseNUL(in: text ?? "", as: name)
        }
        return try await authorized { transaction in
            let roles = try transaction.members(of: thread, requester: requester, subject: nil, isSubjectHeld: false)
                .roles
            try RefusedChange.check(roles, authorize)
            let before = roles.thread == nil ? RoomDetails() : try transaction.details(of: thread)
            if case .set(let picture) = update.picture, picture != before.options.picture {
                guard try transaction.picture(picture, of: requester)?.isPicture == true else {
                    throw StoreError.noAvatar
                }
            }
            return AuditRules.roomSet(
                StateRules.setRoom(update, of: roles.thread, before: before), in: thread, by: actor)
        }
    }
}
