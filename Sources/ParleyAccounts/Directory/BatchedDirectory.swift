package import ParleyModel

/// Single look-ups over the bulk port `Directory`.
///
/// Look-ups of one kind that come while a query is under way, or within the same short tick, become one query; some
/// answers are remembered for a moment (`DirectorySettings`). A storm of reconnecting clients thus costs hundreds of
/// queries, not hundreds of thousands. Each kind of look-up owns its state behind a mutex; callable from anywhere.
///
/// A socket that must not miss a change subscribes to the user's control events first and looks up then what is read
/// after the call: what was revoked or changed before is in the answer, what comes after is an event.
package final class BatchedDirectory: Sendable {
    private let sessions: BatchLoader<TokenHash, AuthSession>
    private let configuredKeys: APIKeys
    private let apiKeys: BatchLoader<TokenHash, APIKeyRecord>
    private let usersByID: BatchLoader<UserID, User>
    private let usersByName: BatchLoader<String, User>
    private let membershipsByUser: BatchLoader<UserID, [Membership]>
    private let snapshots: BatchLoader<UserID, UserSnapshot>
    private let readStatesByUser: BatchLoader<ReadStatesKey, [ReadState]>
    private let threads: BatchLoader<ThreadID, ThreadInfo>
    private let rooms: BatchLoader<String, ThreadInfo>

    private struct ReadStatesKey: Hashable {
        var user: UserID
        var limit: Int
    }

    /// - Parameters:
    ///   - apiKeys: those of the configuration.
    ///   - pause: how a query waits for its tick; may return early.
    package init(
        _ directory: any Directory & ChangeFeed, apiKeys configuredKeys: APIKeys = APIKeys(),
        settings: DirectorySettings = DirectorySettings(),
        clock: WallClock = .system,
        pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.configuredKeys = configuredKeys
        sessions = BatchLoader(settings: settings, memory: settings.sessionMemory, clock: clock, pause: pause) {
            tokens throws(StoreError) in try await directory.sessions(tokens)
        }
        // As with sessions: what was revoked must be void at once.
        apiKeys = BatchLoader(settings: settings, memory: settings.sessionMemory, clock: clock, pause: pause) {
            hashes throws(StoreError) in try await directory.apiKeys(hashes)
        }
        usersByID = BatchLoader(settings: settings, memory: settings.memory, clock: clock, pause: pause) {
            ids throws(StoreError) in try await directory.users(ids)
        }
        usersByName = BatchLoader(settings: settings, memory: settings.memory, clock: clock, pause: pause) {
            names throws(StoreError) in try await directory.users(named: names)
        }
        // Neither these nor the next two are ever remembered: what is decided by them must not be older than the
        // decision.
        membershipsByUser = BatchLoader(settings: settings, memory: .zero, clock: clock, pause: pause) {
            users throws(StoreError) in try await directory.memberships(of: users)
        }
        snapshots = BatchLoader(settings: settings, memory: .zero, clock: clock, pause: pause) {
            users throws(StoreError) in try await directory.snapshots(of: users)
        }
        var readStatesSettings = settings
        readStatesSettings.batchSize = min(settings.batchSize, settings.readStatesBatchSize)
        readStatesByUser = BatchLoader(settings: readStatesSettings, memory: .zero, clock: clock, pause: pause) {
            keys throws(StoreError) in
            var found: [ReadStatesKey: [ReadState]] = [:]
            for (limit, keys) in Dictionary(grouping: keys, by: \.limit) {
                let readStates = try await directory.readStates(of: keys.map(\.user), limit: limit)
                for key in keys { found[key] = readStates[key.user] }
            }
            return found
        }
        threads = BatchLoader(settings: settings, memory: settings.memory, clock: clock, pause: pause) {
            ids throws(StoreError) in try await directory.threads(ids)
        }
        rooms = BatchLoader(settings: settings, memory: settings.memory, clock: clock, pause: pause) {
            titles throws(StoreError) in try await directory.rooms(titled: titles)
        }
    }

    /// The session of a token, over or not; `nil` if there is none.
    package func session(_ token: TokenHash, fresh: Bool = false) async throws(StoreError) -> AuthSession? {
        try await sessions.find(token, fresh: fresh)
    }

    /// The API key of a hash: one of the configuration, or else one that is stored.
    package func apiKey(_ hash: TokenHash) async throws(StoreError) -> APIKeyRecord? {
        if let key = configuredKeys.key(hash) { return key }
        return try await apiKeys.find(hash)
    }

    package func user(_ id: UserID, fresh: Bool = false) async throws(StoreError) -> User? {
        try await usersByID.find(id, fresh: fresh)
    }

    /// The user of exactly this name.
    package func user(named name: String, fresh: Bool = false) async throws(StoreError) -> User? {
        try await usersByName.find(name, fresh: fresh)
    }

    /// All memberships of a user, read after this call; none for an unknown one.
    package func memberships(of user: UserID) async throws(StoreError) -> [Membership] {
        try await membershipsByUser.find(user, fresh: true) ?? []
    }

    /// How a user stands, read after this call; `nil` if there is no such user, or no more.
    package func snapshot(of user: UserID) async throws(StoreError) -> UserSnapshot? {
        try await snapshots.find(user, fresh: true)
    }

    /// How a user stands in the first `limit` of their threads, newest activity first; read after this call.
    package func readStates(of user: UserID, limit: Int) async throws(StoreError) -> [ReadState] {
        try await readStatesByUser.find(ReadStatesKey(user: user, limit: limit), fresh: true) ?? []
    }

    package func thread(_ id: ThreadID) async throws(StoreError) -> ThreadInfo? {
        try await threads.find(id)
    }

    /// The room of exactly this title.
    package func room(titled title: String) async throws(StoreError) -> ThreadInfo? {
        try await rooms.find(title)
    }

    /// What `event` changes is read anew by every look-up from now on, a query under way at this moment included.
    /// Memberships always are.
    package func invalidate(_ event: ControlEvent, of user: UserID) {
        switch event {
        case .added, .removed: break
        case .sessionRevoked(let token): sessions.invalidate(token)
        case .erased, .changed:
            usersByID.invalidate(user)
            // Whose a session or a name is, is known only by what it says.
            sessions.invalidateAll()
            usersByName.invalidateAll()
        }
    }

    /// Lets go of what is too old to be an answer. To be called now and then: after a storm nothing else may do it.
    package func forgetOld() {
        sessions.forgetOld()
        apiKeys.forgetOld()
        usersByID.forgetOld()
        usersByName.forgetOld()
        threads.forgetOld()
        rooms.forgetOld()
    }

    /// How many look-ups wait for a query, of all kinds.
    package var waitingCount: Int {
        sessions.waitingCount + apiKeys.waitingCount + usersByID.waitingCount + usersByName.waitingCount
            + membershipsByUser.waitingCount + snapshots.waitingCount + readStatesByUser.waitingCount
            + threads.waitingCount + rooms.waitingCount
    }

    /// The thread has just been changed or deleted.
    package func forget(thread: ThreadInfo) {
        threads.invalidate(thread.id)
        rooms.invalidate(thread.title)
    }

    /// The user has just been made or changed.
    package func forget(user: User) {
        usersByID.invalidate(user.id)
        usersByName.invalidate(user.name)
    }
}
