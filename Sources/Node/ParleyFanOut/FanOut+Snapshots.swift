import NIOCore
package import ParleyModel

/// Comparison of this node's users with the store.
extension FanOut {
    /// Returns the users with sockets or reservations on this node, and the mark to pass to `update` with snapshots
    /// that are read afterwards.
    /// - Parameter users: The users to look for; `nil` selects all users of this node.
    package func present(among users: [UserID]?) async -> (users: [UserID], mark: UInt64) {
        await readHub { ($0.present(among: users), $0.controlEvents) }
    }

    /// Applies snapshots to the sockets of users: memberships, roles, titles, and state that depends on the credentials
    /// version. A loop ignores snapshots that are older than its own state.
    /// - Parameters:
    ///   - mark: The mark that `present` returned before the snapshots were read.
    ///   - waiting: Whether to return only when new memberships are live.
    /// - Returns: The users who must be reloaded, because not all changes could be applied.
    @discardableResult
    package func update(
        to snapshots: [UserSnapshot], readAfter mark: UInt64, waiting: Bool = false
    ) async -> UnfinishedUpdate {
        let outcome = await withCheckedContinuation { continuation in
            onHub { $0.update(to: snapshots, readAfter: mark) { continuation.resume(returning: $0) } }
        }
        var rest = UnfinishedUpdate(
            changed: outcome.changed, unsettled: outcome.unsettled, renamed: outcome.renamed)
        guard !outcome.missing.isEmpty else { return rest }
        let threads = Set(outcome.missing.values.joined().map(\.thread.id))
        let heads = await RetryingLog(log: log, timeout: []).heads(of: Array(threads))
        await withTaskGroup(of: Void.self) { group in
            for (user, memberships) in outcome.missing {
                for membership in memberships {
                    // Earlier events are history, as for every new member.
                    guard let head = heads[membership.thread.id] else {
                        rest.unreadable.insert(user)
                        continue
                    }
                    let after = head?.position.seq ?? 0
                    if waiting {
                        group.addTask { await self.join(user, membership, after: after) }
                    } else {
                        beginJoin(user, membership, after: after)
                    }
                }
            }
        }
        return rest
    }

    /// Adds a user of this node to a thread if the store has a membership without a control event. Does nothing if the
    /// user is already a member.
    package func beginJoin(_ user: UserID, _ membership: Membership, after: Int64) {
        handle { hub, _, actions in hub.beginJoin(user, membership, after: after, &actions) }
    }

    private func join(_ user: UserID, _ membership: Membership, after: Int64) async {
        await withCheckedContinuation { continuation in
            onHub { $0.beginJoin(user, membership, after: after) { continuation.resume() } }
        }
    }

    /// Applies a change that was found without a control event.
    package func apply(_ event: ControlEvent, to user: UserID) {
        handle { hub, now, actions in hub.apply(event, to: user, at: now, &actions) }
    }

    /// Returns the auth sessions of Parley that opened sockets of these users, with their users.
    package func sessions(of users: [UserID]) async -> [TokenHash: User] {
        await onLoops { $0.sessions(of: users) }.reduce(into: [:]) { $0.merge($1) { $1 } }
    }

    /// Returns the API keys that opened sockets on this node.
    /// - Parameter keys: The keys to look for; `nil` selects all keys.
    package func apiKeys(among keys: Set<TokenHash>?) async -> Set<TokenHash> {
        await onLoops { $0.apiKeys(among: keys) }.reduce(into: []) { $0.formUnion($1) }
    }

    /// Closes the sockets that were opened with revoked API keys.
    package func revoke(apiKeys keys: Set<TokenHash>) {
        for (index, loop) in loops.enumerated() { loop.execute { [self] in roster(index).revoke(apiKeys: keys) } }
    }

    /// Sends the names and profiles of users to every socket that shares a thread with them, and to their own.
    /// - Parameter users: The users, with the threads that they are members of.
    package func announce(_ users: [(snapshot: UserSnapshot, profile: Profile)]) {
        for (index, loop) in loops.enumerated() {
            loop.execute { [self] in
                for (snapshot, profile) in users { roster(index).announce(snapshot, profile) }
            }
        }
    }

    /// Tells the sockets of users, and of the moderators of threads, that a list of invitations or requests has changed.
    package func announce(_ topics: [EntranceTopic]) {
        for (index, loop) in loops.enumerated() {
            loop.execute { [self] in topics.forEach { roster(index).announce($0) } }
        }
    }

    /// Gives rooms other options on all loops.
    package func apply(_ options: [ThreadID: RoomOptions]) {
        for (index, loop) in loops.enumerated() { loop.execute { [self] in roster(index).apply(options) } }
    }

    /// Invalidates the versions of the loops: the next snapshot of each user is applied regardless of its version.
    package func forgetVersions() async {
        _ = await onLoops { $0.forgetVersions() }
    }

    private func onLoops<Reply: Sendable>(_ body: @escaping @Sendable (LoopRoster) -> Reply) async -> [Reply] {
        var replies: [Reply] = []
        for (index, loop) in loops.enumerated() {
            // The submission fails when the node shuts down.
            if let reply = try? await loop.submit({ [self] in body(roster(index)) }).get() { replies.append(reply) }
        }
        return replies
    }
}

/// The users that an update from snapshots has left for later.
package struct UnfinishedUpdate: Hashable, Sendable {
    /// Users with control events during the read of the snapshots, which may be older.
    package var changed: Set<UserID> = []
    /// Users with reserved sockets.
    package var unsettled: Set<UserID> = []
    /// Users with a new thread whose log cannot be read.
    package var unreadable: Set<UserID> = []
    /// Users whose display name must be announced.
    package var renamed: Set<UserID> = []

    /// The users to reload.
    package var all: Set<UserID> { changed.union(unsettled).union(unreadable) }
}
