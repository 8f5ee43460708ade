/// Changes whose actor is the requester, or a command.
extension StateStore {
    package func setMember(
        _ user: User, of thread: ThreadID, role: Membership.Role?, by requester: UserID, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange> {
        try await setMember(
            user, of: thread, role: role, by: requester, as: .user(requester), at: milliseconds, authorize: authorize)
    }

    package func removeMember(
        _ user: User, from thread: ThreadID, by requester: UserID, isRemoval: Bool, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange> {
        try await removeMember(
            user, from: thread, by: requester, as: .user(requester), isRemoval: isRemoval, at: milliseconds,
            authorize: authorize)
    }

    package func sanction(
        _ user: User, in thread: ThreadID, _ sanction: Sanction, author: UserID?, by requester: UserID,
        at milliseconds: Int64, authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange?> {
        try await self.sanction(
            user, in: thread, sanction, author: author, by: requester, as: .user(requester), at: milliseconds,
            authorize: authorize)
    }

    package func endSanction(
        _ kind: Sanction.Kind, of user: User, in thread: ThreadID, by requester: UserID,
        authorize: @escaping Authorization
    ) async throws -> StateChange<Sanction?> {
        try await endSanction(
            kind, of: user, in: thread, by: requester, as: .user(requester), authorize: authorize)
    }

    package func rename(
        _ thread: ThreadID, to title: String, by requester: UserID, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomChange?> {
        try await rename(
            thread, to: title, by: requester, as: .user(requester), at: milliseconds, authorize: authorize)
    }

    package func setVisibility(
        _ visibility: RoomVisibility, of thread: ThreadID, by requester: UserID, authorize: @escaping Authorization
    ) async throws -> StateChange<RoomChange?> {
        try await setVisibility(
            visibility, of: thread, by: requester, as: .user(requester), authorize: authorize)
    }

    package func setHistory(
        _ history: RoomHistory, of thread: ThreadID, by requester: UserID, authorize: @escaping Authorization
    ) async throws -> StateChange<RoomHistory?> {
        try await setHistory(history, of: thread, by: requester, as: .user(requester), authorize: authorize)
    }

    package func setRoom(
        _ update: RoomUpdate, of thread: ThreadID, by requester: UserID, authorize: @escaping Authorization
    ) async throws -> StateChange<RoomDetailsChange?> {
        try await setRoom(update, of: thread, by: requester, as: .user(requester), authorize: authorize)
    }

    package func removeLink(
        _ link: LinkID, of thread: ThreadID, by requester: UserID, authorize: @escaping Authorization
    ) async throws -> StateChange<RoomLink?> {
        try await removeLink(link, of: thread, by: requester, as: .user(requester), authorize: authorize)
    }

    package func deleteThread(
        _ thread: ThreadID, by requester: UserID, authorize: @escaping Authorization
    ) async throws -> StateChange<DeletedThread?> {
        try await deleteThread(thread, by: requester, as: .user(requester), authorize: authorize)
    }

    package func setOperator(
        _ isOperator: Bool, of user: UserID, at milliseconds: Int64
    ) async throws(StoreError) -> StateChange<Bool?> {
        try await setOperator(isOperator, of: user, by: .command, at: milliseconds)
    }

    /// Erases a user at the user's own request.
    package func eraseUser(_ user: UserID, at milliseconds: Int64) async throws(StoreError) -> StateChange<Bool> {
        try await eraseUser(user, at: milliseconds, by: .user(user))
    }

    /// Replaces a user's password at the user's own request.
    package func setPassword(
        _ hash: String, and profile: Profile?, of user: UserID, keeping kept: TokenHash?, ifVersion version: Int64?
    ) async throws(StoreError) -> StateChange<[TokenHash]?> {
        try await setPassword(hash, and: profile, of: user, keeping: kept, ifVersion: version, by: nil)
    }

    package func revokeAll(of user: UserID) async throws(StoreError) -> StateChange<[TokenHash]> {
        try await revokeAll(of: user, by: .command)
    }

    /// Ends a session at its user's own request.
    package func revokeSession(_ token: TokenHash) async throws(StoreError) -> StateChange<UserID?> {
        try await revokeSession(token, by: nil)
    }
}
