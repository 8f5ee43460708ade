import ParleyModel

/// Unused in these tests.
extension TestStore {
    func openDirect(
        _ thread: ThreadID, of user: UserID, with other: UserID, at milliseconds: Int64
    ) async throws(StoreError) -> Set<UserID>? {
        throw .failed("not part of these tests")
    }

    func members(
        of thread: ThreadID, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [Member] {
        throw .failed("not part of these tests")
    }

    func joinableRooms(
        prefix: String, for user: UserID, at now: Int64, limit: Int
    ) async throws(StoreError) -> [ThreadInfo] {
        throw .failed("not part of these tests")
    }

    func sanctions(
        in thread: ThreadID, at now: Int64, after place: SanctionPlace?, limit: Int
    ) async throws(StoreError) -> [SanctionRecord] {
        throw .failed("not part of these tests")
    }

    func links(of thread: ThreadID, at now: Int64) async throws(StoreError) -> [RoomLink] {
        throw .failed("not part of these tests")
    }

    func history(of thread: ThreadID) async throws(StoreError) -> RoomHistory? {
        throw .failed("not part of these tests")
    }

    func details(of thread: ThreadID) async throws(StoreError) -> RoomDetails? {
        throw .failed("not part of these tests")
    }

    func blocks(of user: UserID) async throws(StoreError) -> [BlockRecord] {
        throw .failed("not part of these tests")
    }

    func blocks(
        of users: [UserID], against others: [UserID]
    ) async throws(StoreError) -> [UserID: Set<UserID>] {
        throw .failed("not part of the tests")
    }

    func isBlocked(_ one: UserID, _ other: UserID) async throws(StoreError) -> Bool {
        throw .failed("not part of these tests")
    }

    func linkedRoom(_ code: TokenHash, for user: UserID) async throws(StoreError) -> LinkedRoom? {
        throw .failed("not part of these tests")
    }

    func profiles(of users: [UserID]) async throws(StoreError) -> [UserID: Profile] {
        throw .failed("not part of these tests")
    }

    func setProfile(_ profile: Profile, of user: UserID) async throws(StoreError) -> Bool {
        throw .failed("not part of these tests")
    }
}
