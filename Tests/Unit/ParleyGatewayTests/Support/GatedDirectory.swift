import ParleyModel
import Synchronization

/// A directory whose look-ups of memberships, snapshots and names can be held up or made to fail.
final class GatedDirectory: Directory, ChangeFeed, ProfileReader {
    private let directory: any Directory & ChangeFeed & ProfileReader
    let gate = Gate()
    private let isAwayFlag = Atomic<Bool>(false)

    init(_ directory: any Directory & ChangeFeed & ProfileReader) {
        self.directory = directory
    }

    var isAway: Bool {
        get { isAwayFlag.load(ordering: .relaxed) }
        set { isAwayFlag.store(newValue, ordering: .relaxed) }
    }

    private func pass() async throws(StoreError) {
        await gate.pass()
        if isAway { throw .unavailable("told to be away") }
    }

    func accounts(_ ids: [UserID]) async throws(StoreError) -> [UserID: Account] {
        try await directory.accounts(ids)
    }

    func accounts(named names: [String]) async throws(StoreError) -> [String: Account] {
        try await pass()
        return try await directory.accounts(named: names)
    }

    func profiles(of users: [UserID]) async throws(StoreError) -> [UserID: Profile] {
        try await directory.profiles(of: users)
    }

    func takenNames(_ looks: [NameLook]) async throws(StoreError) -> Set<NameLook> {
        try await pass()
        return try await directory.takenNames(looks)
    }

    func sessions(_ tokens: [TokenHash]) async throws(StoreError) -> [TokenHash: AuthSession] {
        try await directory.sessions(tokens)
    }

    func apiKeys(_ hashes: [TokenHash]) async throws(StoreError) -> [TokenHash: APIKeyRecord] {
        try await directory.apiKeys(hashes)
    }

    func memberships(of users: [UserID]) async throws(StoreError) -> [UserID: [Membership]] {
        try await pass()
        return try await directory.memberships(of: users)
    }

    func changes(since mark: ChangeMark?, limit: Int) async throws(StoreError) -> ChangePage {
        try await directory.changes(since: mark, limit: limit)
    }

    func options(of rooms: [ThreadID]) async throws(StoreError) -> [ThreadID: RoomOptions] { [:] }

    func snapshots(of users: [UserID]) async throws(StoreError) -> [UserID: UserSnapshot] {
        try await pass()
        return try await directory.snapshots(of: users)
    }

    func readStates(of users: [UserID], limit: Int) async throws(StoreError) -> [UserID: [ReadState]] {
        try await directory.readStates(of: users, limit: limit)
    }

    func threads(_ ids: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadInfo] {
        try await directory.threads(ids)
    }

    func rooms(titled titles: [String]) async throws(StoreError) -> [String: ThreadInfo] {
        try await directory.rooms(titled: titles)
    }
}
