import ParleyFanOut
import ParleyModel
import Synchronization

/// A change feed and the parts of a directory that it needs, in dictionaries; counts its calls.
final class TestFeed: ChangeFeed, Directory {
    struct State: Sendable {
        var snapshots: [UserID: UserSnapshot] = [:]
        var apiKeys: [TokenHash: APIKeyRecord] = [:]
        var profiles: [UserID: Profile] = [:]
        var rooms: [ThreadID: RoomOptions] = [:]
        /// The raised changes, in order; the mark is the number of those returned.
        var log: [Subject] = []
        /// Marks below this one mean nothing any more.
        var oldest = 0
        /// Thrown by every call.
        var failure: StoreError?
        /// The limit and the mark of each query for changes.
        var requests: [Int] = []
        /// How many users each query for snapshots was for.
        var reads: [Int] = []
        /// Runs after the next read of snapshots, before it is answered.
        var meanwhile: (@Sendable () async -> Void)?
    }

    enum Subject: Sendable {
        case user(UserID)
        case key(TokenHash)
        case profile(UserID)
        case room(ThreadID)
    }

    private let state = Mutex(State())

    func takenNames(_ looks: [NameLook]) async throws(StoreError) -> Set<NameLook> { [] }

    @discardableResult
    func edit<Value: Sendable>(_ body: (inout sending State) -> sending Value) -> Value {
        state.withLock(body)
    }

    var requests: [Int] { edit { $0.requests } }
    var reads: [Int] { edit { $0.reads } }

    /// Replaces how a user stands and raises the version, as a transaction does.
    func change(
        _ user: User, _ memberships: [Membership], credentialsVersion: Int64 = 0, suspension: Suspension? = nil,
        isTold: Bool = true
    ) {
        edit { state in
            let version = (state.snapshots[user.id]?.version ?? 0) + 1
            state.snapshots[user.id] = UserSnapshot(
                user: user, version: version, credentialsVersion: credentialsVersion, memberships: memberships,
                suspension: suspension)
            if isTold { state.log.append(.user(user.id)) }
        }
    }

    /// Replaces the profile of a user.
    func change(_ user: User, to profile: Profile) {
        edit { state in
            state.profiles[user.id] = profile
            state.snapshots[user.id]?.displayName = profile.displayName
            state.log.append(.profile(user.id))
        }
    }

    /// Replaces the options of a room; snapshots stay as they are.
    func change(_ room: ThreadID, to options: RoomOptions) {
        edit { state in
            state.rooms[room] = options
            state.log.append(.room(room))
        }
    }

    func options(of rooms: [ThreadID]) async throws(StoreError) -> [ThreadID: RoomOptions] {
        let result = edit { state -> Result<[ThreadID: RoomOptions], StoreError> in
            if let failure = state.failure { return .failure(failure) }
            return .success(state.rooms.filter { rooms.contains($0.key) })
        }
        return try result.get()
    }

    func erase(_ user: UserID) {
        edit { state in
            state.snapshots[user] = nil
            state.log.append(.user(user))
        }
    }

    func changes(since mark: ChangeMark?, limit: Int) async throws(StoreError) -> ChangePage {
        let result = edit { state -> Result<ChangePage, StoreError> in
            state.requests.append(mark.flatMap { Int($0.text) } ?? -1)
            if let failure = state.failure { return .failure(failure) }
            let end = ChangeMark("\(state.log.count)")
            guard let mark, let place = Int(mark.text) else {
                return .success(ChangePage(users: [], apiKeys: [], mark: end))
            }
            guard place >= state.oldest else {
                return .success(ChangePage(users: [], apiKeys: [], mark: end, isReset: true))
            }
            let news = state.log.dropFirst(place).prefix(limit)
            return .success(
                ChangePage(
                    users: news.compactMap { if case .user(let user) = $0 { user } else { nil } },
                    apiKeys: news.compactMap { if case .key(let key) = $0 { key } else { nil } },
                    profiles: news.compactMap { if case .profile(let user) = $0 { user } else { nil } },
                    rooms: news.compactMap { if case .room(let room) = $0 { room } else { nil } },
                    mark: ChangeMark("\(place + news.count)"), hasMore: place + news.count < state.log.count))
        }
        return try result.get()
    }

    func snapshots(of users: [UserID]) async throws(StoreError) -> [UserID: UserSnapshot] {
        let result = edit { state -> Result<[UserID: UserSnapshot], StoreError> in
            state.reads.append(users.count)
            if let failure = state.failure { return .failure(failure) }
            var found: [UserID: UserSnapshot] = [:]
            for user in users { found[user] = state.snapshots[user] }
            return .success(found)
        }
        let meanwhile = edit { $0.meanwhile.take() }
        await meanwhile?()
        return try result.get()
    }

    func profiles(of users: [UserID]) throws(StoreError) -> [UserID: Profile] {
        let result = edit { state -> Result<[UserID: Profile], StoreError> in
            if let failure = state.failure { return .failure(failure) }
            return .success(state.profiles.filter { users.contains($0.key) })
        }
        return try result.get()
    }

    func apiKeys(_ hashes: [TokenHash]) async throws(StoreError) -> [TokenHash: APIKeyRecord] {
        edit { state in state.apiKeys.filter { hashes.contains($0.key) } }
    }

    func accounts(_ ids: [UserID]) async throws(StoreError) -> [UserID: Account] { [:] }
    func accounts(named names: [String]) async throws(StoreError) -> [String: Account] { [:] }
    func sessions(_ tokens: [TokenHash]) async throws(StoreError) -> [TokenHash: AuthSession] { [:] }
    func memberships(of users: [UserID]) async throws(StoreError) -> [UserID: [Membership]] { [:] }
    func threads(_ ids: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadInfo] { [:] }
    func rooms(titled titles: [String]) async throws(StoreError) -> [String: ThreadInfo] { [:] }
    func readStates(of users: [UserID], limit: Int) async throws(StoreError) -> [UserID: [ReadState]] { [:] }
}

/// Sessions that a test can end.
final class TestSessions: SessionVerifier {
    private let ended = Mutex<Set<TokenHash>>([])

    func end(_ token: TokenHash) {
        ended.withLock { _ = $0.insert(token) }
    }

    func session(cookie: String) async throws(StoreError) -> VerifiedSession? { nil }

    func isAlive(_ token: TokenHash, of user: User) async throws(StoreError) -> Bool {
        ended.withLock { !$0.contains(token) }
    }
}
