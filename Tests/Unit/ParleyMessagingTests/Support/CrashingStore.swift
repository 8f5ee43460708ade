import ParleyMessaging
import ParleyModel

/// A store whose process may be killed.
struct CrashingStore: StateStore, Outbox {
    let store: any StateStore & Outbox
    let crashPoint: CrashPoint

    func join(
        _ user: User, roomTitled title: String, newID id: ThreadID, visibility: RoomVisibility, history: RoomHistory,
        at milliseconds: Int64, authorize: @escaping Authorization
    ) async throws -> StateChange<JoinedRoom> {
        try await crashPoint.call {
            try await store.join(
                user, roomTitled: title, newID: id, visibility: visibility, history: history, at: milliseconds,
                authorize: authorize)
        }
    }

    func setMember(
        _ user: User, of thread: ThreadID, role: Membership.Role?, by requester: UserID, as actor: AuditActor,
        at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange> {
        try await crashPoint.call {
            try await store.setMember(
                user, of: thread, role: role, by: requester, as: actor, at: milliseconds, authorize: authorize)
        }
    }

    func removeMember(
        _ user: User, from thread: ThreadID, by requester: UserID, as actor: AuditActor, isRemoval: Bool,
        at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange> {
        try await crashPoint.call {
            try await store.removeMember(
                user, from: thread, by: requester, as: actor, isRemoval: isRemoval, at: milliseconds,
                authorize: authorize)
        }
    }

    func sanction(
        _ user: User, in thread: ThreadID, _ sanction: Sanction, author: UserID?, by requester: UserID,
        as actor: AuditActor,
        at milliseconds: Int64, authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange?> {
        try await crashPoint.call {
            try await store.sanction(
                user, in: thread, sanction, author: author, by: requester, as: actor, at: milliseconds,
                authorize: authorize)
        }
    }

    func endSanction(
        _ kind: Sanction.Kind, of user: User, in thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws -> StateChange<Sanction?> {
        try await crashPoint.call {
            try await store.endSanction(kind, of: user, in: thread, by: requester, as: actor, authorize: authorize)
        }
    }

    func addLink(
        _ link: RoomLink, code: TokenHash, to thread: ThreadID, authorize: @escaping Authorization
    ) async throws -> StateChange<Bool> {
        try await crashPoint.call { try await store.addLink(link, code: code, to: thread, authorize: authorize) }
    }

    func removeLink(
        _ link: LinkID, of thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomLink?> {
        try await crashPoint.call {
            try await store.removeLink(link, of: thread, by: requester, as: actor, authorize: authorize)
        }
    }

    func follow(
        _ code: TokenHash, by user: User, at milliseconds: Int64, authorize: @escaping Authorization
    ) async throws -> StateChange<JoinedRoom?> {
        try await crashPoint.call {
            try await store.follow(code, by: user, at: milliseconds, authorize: authorize)
        }
    }

    func rename(
        _ thread: ThreadID, to title: String, by requester: UserID, as actor: AuditActor, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomChange?> {
        try await crashPoint.call {
            try await store.rename(thread, to: title, by: requester, as: actor, at: milliseconds, authorize: authorize)
        }
    }

    func setVisibility(
        _ visibility: RoomVisibility, of thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomChange?> {
        try await crashPoint.call {
            try await store.setVisibility(visibility, of: thread, by: requester, as: actor, authorize: authorize)
        }
    }

    func setHistory(
        _ history: RoomHistory, of thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomHistory?> {
        try await crashPoint.call {
            try await store.setHistory(history, of: thread, by: requester, as: actor, authorize: authorize)
        }
    }

    func setRoom(
        _ update: RoomUpdate, of thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomDetailsChange?> {
        try await crashPoint.call {
            try await store.setRoom(update, of: thread, by: requester, as: actor, authorize: authorize)
        }
    }

    func block(_ other: UserID, by user: UserID, at milliseconds: Int64) async throws(StoreError) -> BlockOutcome {
        try await crashPoint.callStore { () throws(StoreError) in
            try await store.block(other, by: user, at: milliseconds)
        }
    }

    func unblock(_ other: UserID, by user: UserID) async throws(StoreError) -> Bool {
        try await crashPoint.callStore { () throws(StoreError) in try await store.unblock(other, by: user) }
    }

    func deleteThread(
        _ thread: ThreadID, by requester: UserID, as actor: AuditActor, authorize: @escaping Authorization
    ) async throws -> StateChange<DeletedThread?> {
        try await crashPoint.call {
            try await store.deleteThread(thread, by: requester, as: actor, authorize: authorize)
        }
    }

    func setOperator(
        _ isOperator: Bool, of user: UserID, by actor: AuditActor, at milliseconds: Int64
    ) async throws(StoreError) -> StateChange<Bool?> {
        try await crashPoint.callStore { () throws(StoreError) in
            try await store.setOperator(isOperator, of: user, by: actor, at: milliseconds)
        }
    }

    func suspend(
        _ user: UserID, _ suspension: Suspension, by actor: AuditActor, at milliseconds: Int64
    ) async throws(StoreError) -> StateChange<Suspension??> {
        try await crashPoint.callStore { () throws(StoreError) in
            try await store.suspend(user, suspension, by: actor, at: milliseconds)
        }
    }

    func endSuspension(of user: UserID, by actor: AuditActor) async throws(StoreError) -> StateChange<Suspension?> {
        try await crashPoint.callStore { () throws(StoreError) in
            try await store.endSuspension(of: user, by: actor)
        }
    }

    func setPassword(
        _ hash: String, and profile: Profile?, of user: UserID, keeping kept: TokenHash?, ifVersion version: Int64?,
        by actor: AuditActor?
    ) async throws(StoreError) -> StateChange<[TokenHash]?> {
        try await crashPoint.callStore { () throws(StoreError) in
            try await store.setPassword(hash, and: profile, of: user, keeping: kept, ifVersion: version, by: actor)
        }
    }

    func revokeAll(of user: UserID, by actor: AuditActor) async throws(StoreError) -> StateChange<[TokenHash]> {
        try await crashPoint.callStore { () throws(StoreError) in try await store.revokeAll(of: user, by: actor) }
    }

    func revokeSessions(
        of user: UserID, keeping kept: TokenHash?
    ) async throws(StoreError) -> StateChange<[TokenHash]> {
        try await crashPoint.callStore { () throws(StoreError) in
            try await store.revokeSessions(of: user, keeping: kept)
        }
    }

    func revokeSession(_ token: TokenHash, by actor: AuditActor?) async throws(StoreError) -> StateChange<UserID?> {
        try await crashPoint.callStore { () throws(StoreError) in try await store.revokeSession(token, by: actor) }
    }

    func eraseUser(
        _ user: UserID, at milliseconds: Int64, by actor: AuditActor
    ) async throws(StoreError) -> StateChange<Bool> {
        try await crashPoint.callStore { () throws(StoreError) in
            try await store.eraseUser(user, at: milliseconds, by: actor)
        }
    }

    func outboxEntries(of thread: ThreadID?, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        try await crashPoint.callStore { () throws(StoreError) in
            try await store.outboxEntries(of: thread, limit: limit)
        }
    }

    func overdueEntries(age: Int64, after place: Int64, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        try await crashPoint.callStore { () throws(StoreError) in
            try await store.overdueEntries(age: age, after: place, limit: limit)
        }
    }

    func complete(_ entries: [OutboxEntry]) async throws(StoreError) {
        try await crashPoint.callStore { () throws(StoreError) in try await store.complete(entries) }
    }

    func completeForgotten(_ entry: OutboxEntry, epochs: [Epoch]) async throws(StoreError) {
        try await crashPoint.callStore { () throws(StoreError) in
            try await store.completeForgotten(entry, epochs: epochs)
        }
    }
}
