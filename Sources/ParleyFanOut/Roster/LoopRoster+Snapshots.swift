import ParleyModel

/// How a loop brings its users to what the store has.
extension LoopRoster {
    /// Takes snapshots over: memberships that are over give no rights any more, roles and titles change, and sockets
    /// whose credentials are invalid close.
    /// - Returns: what is left to do.
    func take(_ snapshots: [UserSnapshot]) -> SnapshotOutcome {
        var outcome = SnapshotOutcome()
        for snapshot in snapshots { take(snapshot, &outcome) }
        return outcome
    }

    private func take(_ snapshot: UserSnapshot, _ outcome: inout SnapshotOutcome) {
        let id = snapshot.user.id
        guard let user = users[id] else { return }
        // A socket that is about to be registered may have been opened by credentials that are invalid now.
        if user.reservations > 0 { outcome.unsettled.insert(id) }
        guard user.loading == nil, snapshot.version >= user.version else { return }
        user.version = snapshot.version
        var rest = user.memberships
        var hasChanged = false
        for membership in snapshot.memberships {
            let thread = membership.thread.id
            guard let known = rest.remove(thread) else {
                outcome.missing[id, default: []].insert(membership)
                continue
            }
            user.confirm(thread)
            guard known != membership else { continue }
            user.add(threads[thread]?.share(membership) ?? SharedMembership(membership), isStored: true)
            hasChanged = true
        }
        for membership in rest.all where !user.isProvisional(membership.thread.id) {
            user.beginLeaving(membership.thread.id)
            hasChanged = true
        }
        // Including leaves that only a socket of the user has begun.
        let ended = user.leaving.map(\.thread.id).filter { thread in
            !snapshot.memberships.contains { $0.thread.id == thread }
        }
        if !ended.isEmpty { outcome.ended[id, default: []].formUnion(ended) }
        if hasChanged { user.sockets.forEach { $0.membershipsChanged() } }
        for socket in user.sockets {
            if let version = socket.credentialsVersion, version < snapshot.credentialsVersion {
                socket.sessionRevoked()
            }
        }
    }

    func forgetVersions() {
        for user in users.values { user.version = 0 }
    }

    /// The auth sessions of Parley that sockets of these users were opened with, and whose they are.
    func sessions(of ids: [UserID]) -> [TokenHash: User] {
        var sessions: [TokenHash: User] = [:]
        for user in ids.compactMap({ users[$0] }) {
            for token in user.sockets.compactMap(\.sessionToken) where !token.isForeign { sessions[token] = user.user }
        }
        return sessions
    }

    /// Those of the keys that sockets here were opened with; `nil`: all there are.
    func apiKeys(among keys: Set<TokenHash>?) -> Set<TokenHash> {
        var found: Set<TokenHash> = []
        forEachSocket { socket in
            if let key = socket.apiKey, keys?.contains(key) ?? true { found.insert(key) }
        }
        return found
    }

    /// API keys are invalid: closes what was opened with them.
    func revoke(apiKeys keys: Set<TokenHash>) {
        forEachSocket { socket in
            if let key = socket.apiKey, keys.contains(key) { socket.sessionRevoked() }
        }
    }
}
