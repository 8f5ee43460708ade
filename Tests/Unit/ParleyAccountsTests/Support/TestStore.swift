import ParleyAccounts
import ParleyModel
import Synchronization

/// Accounts and directory in dictionaries, with counts of calls.
final class TestStore: AccountStore, Directory, ChangeFeed {
    struct State: Sendable {
        var users: [UserID: User] = [:]
        var hashes: [UserID: String] = [:]
        var origins: [UserID: AccountOrigin] = [:]
        var sessions: [TokenHash: AuthSession] = [:]
        var memberships: [UserID: [Membership]] = [:]
        var threads: [ThreadID: ThreadInfo] = [:]
        var apiKeys: [TokenHash: APIKeyRecord] = [:]
        var credentialsVersions: [UserID: Int64] = [:]
        var suspensions: [UserID: Suspension] = [:]
        /// The number of keys of each bulk query.
        var queries: [Int] = []
        /// Calls of `credentials(named:)`.
        var credentialReads = 0
        /// Called right after each `credentials(named:)`.
        var afterCredentials: @Sendable (inout State) -> Void = { _ in }
        /// Thrown by every call.
        var failure: StoreError?
        /// Names for which `createUser` throws `taken`, as after a concurrent creation.
        var takenNames: Set<String> = []
        /// A user created by another node just before the next `createUser`.
        var faster: User?
    }

    private let state = Mutex(State())
    /// Every bulk query passes it after it has read and before it returns.
    let gate: Gate?

    init(gate: Gate? = nil) {
        self.gate = gate
    }

    /// Reads or changes the stored data.
    @discardableResult
    func edit<Value: Sendable>(_ body: (inout sending State) -> sending Value) -> Value {
        state.withLock(body)
    }

    var queryCount: Int { state.withLock { $0.queries.count } }

    func createUser(_ user: User, passwordHash: String?, origin: AccountOrigin) async throws(StoreError) {
        let failure = state.withLock { state -> StoreError? in
            if let failure = state.failure { return failure }
            if let faster = state.faster.take() { state.users[faster.id] = faster }
            if state.takenNames.contains(user.name) || state.users[user.id] != nil
                || state.users.values.contains(where: { $0.name == user.name })
                || origin.isChosen
                    && state.users.values.contains(where: {
                        NameLook(of: $0.name).isTaken(for: NameLook(of: user.name))
                    })
            {
                return .taken
            }
            state.users[user.id] = user
            state.hashes[user.id] = passwordHash
            state.origins[user.id] = origin
            return nil
        }
        if let failure { throw failure }
    }

    func credentials(named name: String) async throws(StoreError) -> Credentials? {
        try response { state in
            state.credentialReads += 1
            defer { state.afterCredentials(&state) }
            return state.users.values.first { $0.name == name }
                .map {
                    Credentials(
                        user: $0, passwordHash: state.hashes[$0.id],
                        credentialsVersion: state.credentialsVersions[$0.id] ?? 0,
                        suspension: state.suspensions[$0.id])
                }
        }
    }

    func createSession(
        _ session: AuthSession, credentialsVersion version: Int64
    ) async throws(StoreError) -> Bool {
        try response { state in
            guard state.users[session.user.id] != nil, state.credentialsVersions[session.user.id] ?? 0 == version else {
                return false
            }
            state.sessions[session.tokenHash] = session
            return true
        }
    }

    func sessions(
        of user: User, at now: Int64, after place: SessionPlace?, limit: Int
    ) async throws(StoreError) -> [AuthSession] { [] }

    func session(of user: User, hashPrefix prefix: String) async throws(StoreError) -> AuthSession? { nil }

    func room(
        titled title: String, newID id: ThreadID, at milliseconds: Int64
    ) async throws(StoreError) -> ThreadInfo {
        throw .failed("not part of these tests")
    }

    func accounts(_ ids: [UserID]) async throws(StoreError) -> [UserID: Account] {
        try await query(ids) { state, id in
            state.users[id].map { Account($0, suspension: state.suspensions[id]) }
        }
    }

    func accounts(named names: [String]) async throws(StoreError) -> [String: Account] {
        try await query(names) { state, name in
            let user = state.users.values.first { $0.name == name }
            return user.map { Account($0, suspension: state.suspensions[$0.id]) }
        }
    }

    func takenNames(_ looks: [NameLook]) async throws(StoreError) -> Set<NameLook> {
        try response { state in
            Set(looks.filter { look in state.users.values.contains { NameLook(of: $0.name).isTaken(for: look) } })
        }
    }

    func sessions(_ tokens: [TokenHash]) async throws(StoreError) -> [TokenHash: AuthSession] {
        try await query(tokens) { state, token in
            state.sessions[token].map {
                AuthSession(
                    tokenHash: $0.tokenHash, user: $0.user, expires: $0.expires,
                    suspension: state.suspensions[$0.user.id])
            }
        }
    }

    func apiKeys(_ hashes: [TokenHash]) async throws(StoreError) -> [TokenHash: APIKeyRecord] {
        try await query(hashes) { $0.apiKeys[$1] }
    }

    func memberships(of users: [UserID]) async throws(StoreError) -> [UserID: [Membership]] {
        try await query(users) { $0.memberships[$1] }
    }

    func readStates(of users: [UserID], limit: Int) async throws(StoreError) -> [UserID: [ReadState]] {
        try await query(users) { state, user in
            state.memberships[user]?.prefix(limit).map {
                ReadState(thread: $0.thread.id, readSeq: 0, unreadCount: 0)
            }
        }
    }

    func threads(_ ids: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadInfo] {
        try await query(ids) { $0.threads[$1] }
    }

    func rooms(titled titles: [String]) async throws(StoreError) -> [String: ThreadInfo] {
        try await query(titles) { state, title in state.threads.values.first { $0.title == title } }
    }

    func changes(since mark: ChangeMark?, limit: Int) async throws(StoreError) -> ChangePage {
        throw .failed("not part of these tests")
    }

    func snapshots(of users: [UserID]) async throws(StoreError) -> [UserID: UserSnapshot] {
        try await query(users) { state, id in
            state.users[id].map {
                UserSnapshot(
                    user: $0, version: 0, credentialsVersion: state.credentialsVersions[id] ?? 0,
                    memberships: state.memberships[id] ?? [], suspension: state.suspensions[id])
            }
        }
    }

    func options(of rooms: [ThreadID]) async throws(StoreError) -> [ThreadID: RoomOptions] {
        throw .failed("not part of these tests")
    }

    private func query<Key: Hashable & Sendable, Value: Sendable>(
        _ keys: [Key], _ find: @Sendable (State, Key) -> Value?
    ) async throws(StoreError) -> [Key: Value] {
        let found = try response { state in
            state.queries.append(keys.count)
            var found: [Key: Value] = [:]
            for key in keys { found[key] = find(state, key) }
            return found
        }
        await gate?.pass()
        return found
    }

    private func response<Value: Sendable>(_ body: @Sendable (inout State) -> Value) throws(StoreError) -> Value {
        let result = state.withLock { state -> Result<Value, StoreError> in
            if let failure = state.failure { return .failure(failure) }
            return .success(body(&state))
        }
        return try result.get()
    }
}
