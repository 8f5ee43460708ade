package import ParleyModel

/// Short forms of calls for tests.
extension AccountStore {
    /// Creates a user as `parley admin` does.
    package func createUser(_ user: User, passwordHash: String?) async throws(StoreError) {
        try await createUser(user, passwordHash: passwordHash, origin: .command)
    }

    /// Imports records as a back end does.
    package func importRecords(
        _ records: [ImportRecord], at milliseconds: Int64
    ) async throws(StoreError) -> [ImportOutcome] {
        try await importRecords(records, origin: .apiKey, by: nil, at: milliseconds)
    }
}

extension Cleanups {
    /// Finishes all pending cleanups that are not claimed.
    /// - Parameter sends: the log of the store's events; none by default.
    package func finishCleanups(forgetting sends: any SendMemory = ForgottenSends()) async throws(StoreError) {
        while true {
            let claimed = try await claimCleanups(limit: 10)
            if claimed.isEmpty { return }
            for cleanup in claimed { try await finish(cleanup, forgetting: sends) }
        }
    }
}

extension StateStore {
    /// Joins a room whatever the user's restrictions are.
    package func join(
        _ user: User, roomTitled title: String, newID id: ThreadID, at milliseconds: Int64
    ) async throws -> StateChange<JoinedRoom> {
        try await join(user, roomTitled: title, newID: id, at: milliseconds, authorize: { _ in })
    }

    /// Ends a membership as a leave does.
    package func removeMember(
        _ user: User, from thread: ThreadID, by requester: UserID, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange> {
        try await removeMember(
            user, from: thread, by: requester, isRemoval: false, at: milliseconds, authorize: authorize)
    }

    /// Sets a password whatever the credentials version is.
    package func setPassword(
        _ hash: String, of user: UserID, keeping kept: TokenHash?
    ) async throws(StoreError) -> StateChange<[TokenHash]> {
        let change = try await setPassword(hash, and: nil, of: user, keeping: kept, ifVersion: nil)
        guard let ended = change.value else { throw .failed("there is no such user") }
        return StateChange(ended, outbox: change.outbox)
    }
}

extension AccountStore where Self: ChangeFeed {
    /// Creates a session with the current credentials version.
    /// - Throws: also `failed` for a user who is unknown or erased.
    package func createSession(_ session: AuthSession) async throws(StoreError) {
        let version = try await snapshots(of: [session.user.id])[session.user.id]?.credentialsVersion ?? 0
        guard try await createSession(session, credentialsVersion: version) else {
            throw .failed("there is no such user")
        }
    }
}
