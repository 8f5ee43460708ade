package import ParleyModel

/// Lists of the ways into threads. `StateExecutor` has the changes.
extension PostgresStore {
    package func invitations(
        of user: UserID, at now: Int64, after thread: ThreadID?, limit: Int
    ) async throws(StoreError) -> [InvitationRecord] {
        try await rows(
            .list,
            EntranceQueries.ofUser(
                .text(user.text), .int(now), .text(thread?.text ?? ""), .int(Int64(max(limit, 0)))))
    }

    package func invitations(
        in thread: ThreadID, at now: Int64, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [InvitationRecord] {
        try await rows(
            .list,
            EntranceQueries.ofThread(
                .text(thread.text), .int(now), .text(user?.text ?? ""), .int(Int64(max(limit, 0)))))
    }

    package func requests(of user: UserID, at now: Int64) async throws(StoreError) -> [RequestRecord] {
        try await rows(
            .list, EntranceQueries.requestsOfUser(.text(user.text), .int(now), .int(JoinRequest.limitOfUser)))
    }

    package func requests(
        in thread: ThreadID, at now: Int64, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [RequestRecord] {
        try await rows(
            .list,
            EntranceQueries.requestsOfThread(
                .text(thread.text), .int(now), .text(user?.text ?? ""), .int(Int64(max(limit, 0)))))
    }
}
