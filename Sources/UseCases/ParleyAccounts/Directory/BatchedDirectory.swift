import ParleyConcurrency
package import ParleyModel

/// Single lookups over the bulk port `Directory`.
///
/// Lookups of one kind that arrive while a query runs, or within the same short tick, share one query; some results are
/// cached for a moment (`DirectorySettings`). A storm of reconnecting clients thus costs hundreds of queries, not
/// hundreds of thousands. The state of each kind of lookup is protected by a mutex; callable from anywhere.
///
/// A socket that must not miss a change first subscribes to the user's control events, then looks up with a read after
/// the call: earlier changes are in the result, later ones arrive as events.
package final class BatchedDirectory: Sendable {
    private let sessions: DirectoryLoader<TokenHash, AuthSession>
    private let configuredKeys: APIKeys
    let idForm: UserIDForm
    private let apiKeys: DirectoryLoader<TokenHash, APIKeyRecord>
    private let usersByID: DirectoryLoader<UserID, Account>
    private let usersByName: DirectoryLoader<String, Account>
    private let profiles: DirectoryLoader<UserID, Profile>
    private let takenNames: DirectoryLoader<NameLook, Bool>
    private let membershipsByUser: DirectoryLoader<UserID, [Membership]>
    private let membershipsByPlace: DirectoryLoader<MemberPlace, Membership>
    private let snapshots: DirectoryLoader<UserID, UserSnapshot>
    private let readStatesByUser: DirectoryLoader<ReadStatesKey, [ReadState]>
    private let threads: DirectoryLoader<ThreadID, ThreadInfo>
    private let rooms: DirectoryLoader<String, ThreadInfo>

    private struct ReadStatesKey: Hashable {
        var user: UserID
        var limit: Int
    }

    /// - Parameters:
    ///   - apiKeys: the configured keys.
    ///   - idForm: the texts that are never names.
    ///   - pause: waits for the tick of a query; may return early.
    package init(
        _ directory: any Directory & ChangeFeed & ProfileReader, apiKeys configuredKeys: APIKeys = APIKeys(),
        idForm: UserIDForm = .standard, settings: DirectorySettings = DirectorySettings(),
        clock: WallClock = .system,
        pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.configuredKeys = configuredKeys
        self.idForm = idForm
        sessions = DirectoryLoader(settings: settings, memory: settings.sessionMemory, clock: clock, pause: pause) {
            tokens throws(StoreError) in try await directory.sessions(tokens)
        }
        // As with sessions: what was revoked must be invalid at once.
        apiKeys = DirectoryLoader(settings: settings, memory: settings.sessionMemory, clock: clock, pause: pause) {
            hashes throws(StoreError) in try await directory.apiKeys(hashes)
        }
        usersByID = DirectoryLoader(settings: settings, memory: settings.memory, clock: clock, pause: pause) {
            ids throws(StoreError) in try await directory.accounts(ids)
        }
        usersByName = DirectoryLoader(settings: settings, memory: settings.memory, clock: clock, pause: pause) {
            names throws(StoreError) in try await directory.accounts(named: names)
        }
        profiles = DirectoryLoader(settings: settings, memory: settings.memory, clock: clock, pause: pause) {
            ids throws(StoreError) in
            let found = try await directory.profiles(of: ids)
            // That a user has no profile is cached as well.
            return ids.reduce(into: [:]) { $0[$1] = found[$1] ?? Profile() }
        }
        takenNames = DirectoryLoader(settings: settings, memory: .zero, clock: clock, pause: pause) {
            looks throws(StoreError) in
            try await directory.takenNames(looks).reduce(into: [:]) { $0[$1] = true }
        }
        // Neither these nor the next three are ever remembered: what is decided by them must not be older than the
        // decision.
        membershipsByUser = DirectoryLoader(settings: settings, memory: .zero, clock: clock, pause: pause) {
            users throws(StoreError) in try await directory.memberships(of: users)
        }
        membershipsByPlace = DirectoryLoader(settings: settings, memory: .zero, clock: clock, pause: pause) {
            places throws(StoreError) in try await directory.memberships(at: places)
        }
        snapshots = DirectoryLoader(settings: settings, memory: .zero, clock: clock, pause: pause) {
            users throws(StoreError) in try await directory.snapshots(of: users)
        }
        var readStatesSettings = settings
        readStatesSettings.batchSize = min(settings.batchSize, settings.readStatesBatchSize)
        readStatesByUser = DirectoryLoader(settings: readStatesSettings, memory: .zero, clock: clock, pause: pause) {
            keys throws(StoreError) in
            var found: [ReadStatesKey: [ReadState]] = [:]
            for (limit, keys) in Dictionary(grouping: keys, by: \.limit) {
                let readStates = try await directory.readStates(of: keys.map(\.user), limit: limit)
                for key in keys { found[key] = readStates[key.user] }
            }
            return found
        }
        threads = DirectoryLoader(settings: settings, memory: settings.memory, clock: clock, pause: pause) {
            ids throws(StoreError) in try await directory.threads(ids)
        }
        rooms = DirectoryLoader(settings: settings, memory: settings.memory, clock: clock, pause: pause) {
            titles throws(StoreError) in try await directory.rooms(titled: titles)
        }
    }

    /// The session of a token, expired or not; `nil` if there is none.
    package func session(_ token: TokenHash, fresh: Bool = false) async throws(StoreError) -> AuthSession? {
        try await sessions.find(token, fresh: fresh)
    }

    /// The API key with this hash, configured or stored.
    package func apiKey(_ hash: TokenHash) async throws(StoreError) -> APIKeyRecord? {
        if let key = configuredKeys.key(hash) { return key }
        return try await apiKeys.find(hash)
    }

    /// The user with this id; `nil` if unknown or erased.
    package func user(_ id: UserID, fresh: Bool = false) async throws(StoreError) -> User? {
        try await account(id, fresh: fresh)?.user
    }

    /// The user with this id and the user's suspension, by the look-up of `user`.
    package func account(_ id: UserID, fresh: Bool = false) async throws(StoreError) -> Account? {
        try await usersByID.find(id, fresh: fresh)
    }

    /// The user of exactly this name.
    package func user(named name: String, fresh: Bool = false) async throws(StoreError) -> User? {
        try await account(named: name, fresh: fresh)?.user
    }

    /// The user of exactly this name and the user's suspension, by the look-up of `user`.
    package func account(named name: String, fresh: Bool = false) async throws(StoreError) -> Account? {
        try await usersByName.find(name, fresh: fresh)
    }

    /// The display name of a user, for their messages; `nil` if it equals the username. May be cached, unless it is
    /// `fresh`.
    package func displayName(of user: User, fresh: Bool = false) async throws(StoreError) -> String? {
        let name = try await profiles.find(user.id, fresh: fresh)?.displayName
        return name == user.name ? nil : name
    }

    /// Whether people would take a name for a user's, read after this call.
    package func isTaken(_ look: NameLook) async throws(StoreError) -> Bool {
        try await takenNames.find(look, fresh: true) ?? false
    }

    /// All memberships of a user, read after this call; empty for an unknown user.
    package func memberships(of user: UserID) async throws(StoreError) -> [Membership] {
        try await membershipsByUser.find(user, fresh: true) ?? []
    }

    /// A user's membership in a thread, read after this call; `nil` if the user is not a member.
    package func membership(of user: UserID, in thread: ThreadID) async throws(StoreError) -> Membership? {
        try await membershipsByPlace.find(MemberPlace(user: user, thread: thread), fresh: true)
    }

    /// The state of a user, read after this call; `nil` if the user is unknown or erased.
    package func snapshot(of user: UserID) async throws(StoreError) -> UserSnapshot? {
        try await snapshots.find(user, fresh: true)
    }

    /// A user's read state in the first `limit` of their threads, newest activity first; read after this call.
    package func readStates(of user: UserID, limit: Int) async throws(StoreError) -> [ReadState] {
        try await readStatesByUser.find(ReadStatesKey(user: user, limit: limit), fresh: true) ?? []
    }

    /// The thread with this id; may be cached, unless it is `fresh`.
    package func thread(_ id: ThreadID, fresh: Bool = false) async throws(StoreError) -> ThreadInfo? {
        try await threads.find(id, fresh: fresh)
    }

    /// The public room of exactly this title.
    package func room(titled title: String) async throws(StoreError) -> ThreadInfo? {
        try await rooms.find(title)
    }

    /// Invalidates what `event` changes, for lookups from now on and for a query in flight. Memberships are never
    /// cached.
    package func invalidate(_ event: ControlEvent, of user: UserID) {
        switch event {
        case .added, .removed: break
        case .sessionRevoked(let token): sessions.invalidate(token)
        case .erased, .changed:
            usersByID.invalidate(user)
            profiles.invalidate(user)
            // Only the values show which sessions and names belong to the user.
            sessions.invalidateAll()
            usersByName.invalidateAll()
        }
    }

    /// Removes expired cache entries. To be called periodically, since after a storm nothing else may do it.
    package func forgetOld() {
        sessions.forgetOld()
        apiKeys.forgetOld()
        usersByID.forgetOld()
        usersByName.forgetOld()
        profiles.forgetOld()
        threads.forgetOld()
        rooms.forgetOld()
    }

    /// The number of lookups waiting for a query, of all kinds.
    package var waitingCount: Int {
        sessions.waitingCount + apiKeys.waitingCount + usersByID.waitingCount + usersByName.waitingCount
            + profiles.waitingCount + takenNames.waitingCount + membershipsByUser.waitingCount + snapshots.waitingCount
            + readStatesByUser.waitingCount
            + threads.waitingCount + rooms.waitingCount
    }

    /// Invalidates a thread that was just changed or deleted.
    package func forget(thread: ThreadInfo) {
        threads.invalidate(thread.id)
        rooms.invalidate(thread.title)
    }

    /// Invalidates a user that was just created or changed.
    package func forget(user: User) {
        usersByID.invalidate(user.id)
        usersByName.invalidate(user.name)
        profiles.invalidate(user.id)
    }
}
