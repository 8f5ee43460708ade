package import ParleyModel

/// Calls as most tests make them.
extension AccountStore {
    /// As `parley admin` makes a user.
    package func createUser(_ user: User, passwordHash: String?) async throws(StoreError) {
        try await createUser(user, passwordHash: passwordHash, origin: .command)
    }

    /// As a back end imports them.
    package func importRecords(
        _ records: [ImportRecord], at milliseconds: Int64
    ) async throws(StoreError) -> [ImportOutcome] {
        try await importRecords(records, origin: .apiKey, at: milliseconds)
    }
}

extension Cleanups {
    /// Does all that erasures and deletions have left to do and nobody works on.
    package func finishCleanups() async throws(StoreError) {
        while true {
            let claimed = try await claimCleanups(limit: 10)
            if claimed.isEmpty { return }
            for cleanup in claimed { try await finish(cleanup) }
        }
    }
}

extension StateStore {
    /// Whatever the credentials version is.
    package func setPassword(
        _ hash: String, of user: UserID, keeping kept: TokenHash?
    ) async throws(StoreError) -> StateChange<[TokenHash]> {
        let change = try await setPassword(hash, and: nil, of: user, keeping: kept, ifVersion: nil)
        guard let ended = change.value else { throw .failed("there is no such user") }
        return StateChange(ended, outbox: change.outbox)
    }
}

extension AccountStore where Self: ChangeFeed {
    /// A session by the credentials as they are now.
    /// - Throws: also `failed` for a user who is unknown or erased.
    package func createSession(_ session: AuthSession) async throws(StoreError) {
        let version = try await snapshots(of: [session.user.id])[session.user.id]?.credentialsVersion ?? 0
        guard try await createSession(session, credentialsVersion: version) else {
            throw .failed("there is no such user")
        }
    }
}
