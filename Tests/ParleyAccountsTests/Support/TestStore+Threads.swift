import ParleyModel

/// Not part of these tests, but for the sessions.
extension TestStore {
    func openDirect(
        _ thread: ThreadID, of user: UserID, with other: UserID, at milliseconds: Int64
    ) async throws(StoreError) -> Bool? {
        throw .failed("not part of these tests")
    }

    func rename(_ thread: ThreadID, to title: String) async throws(StoreError) -> Bool {
        throw .failed("not part of these tests")
    }

    func deleteThread(_ thread: ThreadID) async throws(StoreError) -> Bool {
        throw .failed("not part of these tests")
    }

    func members(
        of thread: ThreadID, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [Member] {
        throw .failed("not part of these tests")
    }

    func setRole(
        _ role: Membership.Role, of user: UserID, in thread: ThreadID
    ) async throws(StoreError) -> Bool {
        throw .failed("not part of these tests")
    }

    func removeMember(_ user: UserID, from thread: ThreadID) async throws(StoreError) -> Bool {
        throw .failed("not part of these tests")
    }

    func joinableRooms(
        prefix: String, for user: UserID, limit: Int
    ) async throws(StoreError) -> [ThreadInfo] {
        throw .failed("not part of these tests")
    }

    func profiles(of users: [UserID]) async throws(StoreError) -> [UserID: Profile] {
        throw .failed("not part of these tests")
    }

    func setProfile(_ profile: Profile, of user: UserID) async throws(StoreError) {
        throw .failed("not part of these tests")
    }

    func revokeSessions(
        of user: UserID, except kept: TokenHash?
    ) async throws(StoreError) -> [TokenHash] {
        edit { state in
            let ended = state.sessions.values.filter { $0.user.id == user && $0.tokenHash != kept }.map(\.tokenHash)
            for token in ended { state.sessions[token] = nil }
            return ended
        }
    }
}
