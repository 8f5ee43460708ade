import ParleyModel
import ParleyWire

/// Updates of the users of a loop from the store.
extension LoopRoster {
    /// Applies snapshots: ended memberships give no rights, roles and titles change, and sockets with invalid
    /// credentials close.
    /// - Returns: The remaining work.
    func take(_ snapshots: [UserSnapshot]) -> SnapshotOutcome {
        var outcome = SnapshotOutcome()
        for snapshot in snapshots { take(snapshot, &outcome) }
        return outcome
    }

    private func take(_ snapshot: UserSnapshot, _ outcome: inout SnapshotOutcome) {
        let id = snapshot.user.id
        guard let user = users[id] else { return }
        // A socket about to be registered may have been opened by credentials that are now invalid.
        if user.reservations > 0 { outcome.unsettled.insert(id) }
        guard user.loading == nil, snapshot.version >= user.version else { return }
        // The announcement of the name, which reads it again, sets it.
        if user.displayName != snapshot.displayName { outcome.renamed.insert(id) }
        user.version = snapshot.version
        var rest = user.memberships
        var hasChanged = false
        let memberships = snapshot.memberships.compactMap { $0.shown(after: user.memberships[$0.thread.id]) }
        for membership in memberships {
            let thread = membership.thread.id
            guard let known = user.memberships[thread], !membership.isLater(than: known) else {
                outcome.missing[id, default: []].insert(membership)
                continue
            }
            rest.remove(thread)
            user.confirm(thread)
            guard known != membership else { continue }
            let shared = threads[thread]?.share(membership) ?? SharedMembership(membership)
            user.add(shared, isStored: true)
            threads[thread]?.begin(at: membership.start, for: user)
            notifyLimits(of: user, from: known, to: shared.membership)
            hasChanged = true
        }
        for membership in rest.all where !user.isProvisional(membership.thread.id) {
            user.beginLeaving(membership.thread.id)
            hasChanged = true
        }
        // This includes leaves that only a socket of the user has begun.
        let ended = user.leaving.filter { left in
            !memberships.contains { $0.thread.id == left.thread.id && !$0.isLater(than: left) }
        }.map(\.thread.id)
        if !ended.isEmpty { outcome.ended[id, default: []].formUnion(ended) }
        if hasChanged { user.sockets.forEach { $0.membershipsChanged() } }
        if user.setBlocks(snapshot.blocks) {
            let blocks = user.blocks
            user.sockets.forEach { $0.blocksChanged(blocks) }
        }
        for socket in user.sockets {
            if let version = socket.credentialsVersion, version < snapshot.credentialsVersion {
                socket.sessionRevoked()
            } else if let suspension = snapshot.suspension {
                socket.suspended(suspension)
            }
        }
    }

    /// Tells the sockets of a user what has changed in what they may do in a thread.
    func notifyLimits(of user: LocalUser, from known: Membership, to membership: Membership) {
        if known.mute != membership.mute { user.sockets.forEach { $0.muteChanged(membership) } }
        guard known.options != membership.options || known.isBlocked != membership.isBlocked else { return }
        user.sockets.forEach { $0.roomChanged(membership) }
    }

    /// Gives rooms other options, which were read from the store, and tells their members.
    func apply(_ options: [ThreadID: RoomOptions]) {
        for (thread, options) in options {
            guard let members = threads[thread] else { continue }
            for user in members.users {
                guard let known = user.memberships[thread], known.options.changes < options.changes else { continue }
                let shared = members.share(known.with(options: options))
                user.replace(shared)
                notifyLimits(of: user, from: known, to: shared.membership)
            }
        }
    }

    /// Sends a user's name and profile once to each socket of this loop that shares a thread with the user, and to the
    /// user's own.
    func announce(_ snapshot: UserSnapshot, _ profile: Profile) {
        let user = snapshot.user
        var told: Set<ObjectIdentifier> = []
        // Encoded for the first recipient.
        var frame: SharedFrame?
        func tell(_ recipient: LocalUser) {
            guard told.insert(ObjectIdentifier(recipient)).inserted else { return }
            recipient.sockets.forEach { socket in
                guard socket.encoding.dialect == .v1 else { return }
                let shared = frame ?? SharedFrame(user, profile)
                frame = shared
                socket.profileChanged(of: user.id, shared)
            }
        }
        if let own = users[user.id] {
            own.rename(to: snapshot.displayName)
            tell(own)
        }
        for membership in snapshot.memberships { threads[membership.thread.id]?.users.forEach(tell) }
    }

    /// Tells the sockets of a user, or of the moderators of a thread, that a list of invitations or requests has changed.
    func announce(_ topic: EntranceTopic) {
        switch topic {
        case .user(let user): users[user]?.sockets.forEach { $0.entrancesChanged(of: nil) }
        case .thread(let thread):
            for user in threads[thread]?.users ?? [] {
                guard let role = user.memberships[thread]?.role, [.owner, .moderator].contains(role) else { continue }
                user.sockets.forEach { $0.entrancesChanged(of: thread) }
            }
        }
    }

    func forgetVersions() {
        for user in users.values { user.version = 0 }
    }

    /// Returns the auth sessions of Parley that opened sockets of these users, with their users.
    func sessions(of ids: [UserID]) -> [TokenHash: User] {
        var sessions: [TokenHash: User] = [:]
        for user in ids.compactMap({ users[$0] }) {
            for token in user.sockets.compactMap(\.sessionToken) where !token.isForeign { sessions[token] = user.user }
        }
        return sessions
    }

    /// Returns the API keys that opened sockets on this loop.
    /// - Parameter keys: The keys to look for; `nil` selects all keys.
    func apiKeys(among keys: Set<TokenHash>?) -> Set<TokenHash> {
        var found: Set<TokenHash> = []
        forEachSocket { socket in
            if let key = socket.apiKey, keys?.contains(key) ?? true { found.insert(key) }
        }
        return found
    }

    /// Closes the sockets that were opened with revoked API keys.
    func revoke(apiKeys keys: Set<TokenHash>) {
        forEachSocket { socket in
            if let key = socket.apiKey, keys.contains(key) { socket.sessionRevoked() }
        }
    }
}
