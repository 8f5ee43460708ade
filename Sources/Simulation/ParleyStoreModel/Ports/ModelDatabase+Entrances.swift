package import ParleyModel

/// Lists of the ways into threads. `StateExecutor` has the changes.
extension ModelDatabase {
    package func invitations(
        of user: UserID, at now: Int64, after thread: ThreadID?, limit: Int
    ) async throws(StoreError) -> [InvitationRecord] {
        try await read(.page) { tables in
            let rows = tables.invitations.filter {
                $0.key.user == user && $0.key.thread.text > thread?.text ?? "" && $0.value.isOpen(at: now)
            }
            return rows.sorted { $0.key.thread.text < $1.key.thread.text }.prefix(max(limit, 0))
                .compactMap { tables.invitationRecord(at: $0.key, $0.value) }
        }
    }

    package func invitations(
        in thread: ThreadID, at now: Int64, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [InvitationRecord] {
        try await read(.page) { tables in
            let rows = tables.invitations.filter {
                $0.key.thread == thread && $0.key.user.text > user?.text ?? "" && $0.value.isOpen(at: now)
            }
            return rows.sorted { $0.key.user.text < $1.key.user.text }.prefix(max(limit, 0))
                .compactMap { tables.invitationRecord(at: $0.key, $0.value) }
        }
    }

    package func requests(of user: UserID, at now: Int64) async throws(StoreError) -> [RequestRecord] {
        try await read(.page) { tables in
            let rows = tables.requests.filter {
                $0.key.user == user && $0.value.state != .withdrawn && $0.value.isCurrent(at: now)
            }
            return rows.sorted { $0.key.thread.text < $1.key.thread.text }.prefix(Int(JoinRequest.limitOfUser))
                .compactMap { tables.requestRecord(at: $0.key, $0.value) }
        }
    }

    package func requests(
        in thread: ThreadID, at now: Int64, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [RequestRecord] {
        try await read(.page) { tables in
            let rows = tables.requests.filter {
                $0.key.thread == thread && $0.key.user.text > user?.text ?? "" && $0.value.state == .open
                    && $0.value.isCurrent(at: now) && !tables.isBanned($0.key.user, from: thread, at: now)
            }
            return rows.sorted { $0.key.user.text < $1.key.user.text }.prefix(max(limit, 0))
                .compactMap { tables.requestRecord(at: $0.key, $0.value) }
        }
    }
}
