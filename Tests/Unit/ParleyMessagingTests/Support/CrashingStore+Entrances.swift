import ParleyModel

extension CrashingStore {
    func createGroup(
        _ group: NewGroup, at milliseconds: Int64
    ) async throws(StoreError) -> StateChange<GroupCreation> {
        try await crashPoint.callStore { () throws(StoreError) in
            try await store.createGroup(group, at: milliseconds)
        }
    }

    func changeEntrance(
        _ change: EntranceChange, of user: User, in thread: ThreadID, by requester: UserID, at milliseconds: Int64,
        authorize: @escaping @Sendable (EntranceFacts) throws -> Void
    ) async throws -> StateChange<EntranceOutcome> {
        try await crashPoint.call {
            try await store.changeEntrance(
                change, of: user, in: thread, by: requester, at: milliseconds, authorize: authorize)
        }
    }

    func invitations(
        of user: UserID, at now: Int64, after thread: ThreadID?, limit: Int
    ) async throws(StoreError) -> [InvitationRecord] {
        try await store.invitations(of: user, at: now, after: thread, limit: limit)
    }

    func invitations(
        in thread: ThreadID, at now: Int64, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [InvitationRecord] {
        try await store.invitations(in: thread, at: now, after: user, limit: limit)
    }

    func requests(of user: UserID, at now: Int64) async throws(StoreError) -> [RequestRecord] {
        try await store.requests(of: user, at: now)
    }

    func requests(
        in thread: ThreadID, at now: Int64, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [RequestRecord] {
        try await store.requests(in: thread, at: now, after: user, limit: limit)
    }
}
