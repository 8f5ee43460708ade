import NIOCore
package import ParleyModel

/// The users of this node against the store: who they are, and how they are brought to what the store has.
extension FanOut {
    /// Those of `users` who have sockets here, or are about to (`nil`: all there are), and the mark to pass to `update`
    /// with snapshots that are read after this.
    package func present(among users: [UserID]?) async -> (users: [UserID], mark: UInt64) {
        await readHub { ($0.present(among: users), $0.controlEvents) }
    }

    /// Brings the sockets of users to snapshots: memberships, roles, titles, and what depends on the credentials
    /// version. A loop keeps what it has of a newer version.
    /// - Parameters:
    ///   - mark: of `present`, before the snapshots were read.
    ///   - waiting: whether to return only when new memberships are live.
    /// - Returns: the users who must be reloaded, since not all could be done.
    @discardableResult
    package func update(
        to snapshots: [UserSnapshot], readAfter mark: UInt64, waiting: Bool = false
    ) async -> UnfinishedUpdate {
        let outcome = await withCheckedContinuation { continuation in
            onHub { $0.update(to: snapshots, readAfter: mark) { continuation.resume(returning: $0) } }
        }
        var rest = UnfinishedUpdate(changed: outcome.changed, unsettled: outcome.unsettled)
        guard !outcome.missing.isEmpty else { return rest }
        let threads = Set(outcome.missing.values.joined().map(\.thread.id))
        let heads = await RetryingLog(log: log, timeout: []).heads(of: Array(threads))
        await withTaskGroup(of: Void.self) { group in
            for (user, memberships) in outcome.missing {
                for membership in memberships {
                    // What happened before is history, as for every new member.
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

    /// A user of this node is found to be a member of a thread without a control event for it; does nothing if they
    /// are in it already.
    package func beginJoin(_ user: UserID, _ membership: Membership, after: Int64) {
        onHub { $0.handle { hub, actions in hub.beginJoin(user, membership, after: after, &actions) } }
    }

    private func join(_ user: UserID, _ membership: Membership, after: Int64) async {
        await withCheckedContinuation { continuation in
            onHub { $0.beginJoin(user, membership, after: after) { continuation.resume() } }
        }
    }

    /// Something is found to have happened to a user of this node without a control event for it.
    package func apply(_ event: ControlEvent, to user: UserID) {
        onHub { $0.handle { hub, now, actions in hub.apply(event, to: user, at: now, &actions) } }
    }

    /// The auth sessions of Parley that sockets of these users were opened with, and whose they are.
    package func sessions(of users: [UserID]) async -> [TokenHash: User] {
        await onLoops { $0.sessions(of: users) }.reduce(into: [:]) { $0.merge($1) { $1 } }
    }

    /// Those of the keys that sockets here were opened with; `nil`: all there are.
    package func apiKeys(among keys: Set<TokenHash>?) async -> Set<TokenHash> {
        await onLoops { $0.apiKeys(among: keys) }.reduce(into: []) { $0.formUnion($1) }
    }

    /// API keys are invalid: closes what was opened with them.
    package func revoke(apiKeys keys: Set<TokenHash>) {
        for (index, loop) in loops.enumerated() { loop.execute { [self] in roster(index).revoke(apiKeys: keys) } }
    }

    /// The versions of the loops are invalid: the next snapshot of each user counts, regardless of its version.
    package func forgetVersions() async {
        _ = await onLoops { $0.forgetVersions() }
    }

    private func onLoops<Reply: Sendable>(_ body: @escaping @Sendable (LoopRoster) -> Reply) async -> [Reply] {
        var replies: [Reply] = []
        for (index, loop) in loops.enumerated() {
            // Fails when the node goes down.
            if let reply = try? await loop.submit({ [self] in body(roster(index)) }).get() { replies.append(reply) }
        }
        return replies
    }
}

/// The users whom an update to snapshots has left for another time.
package struct UnfinishedUpdate: Hashable, Sendable {
    /// Control events came while the snapshots were read, which may be older.
    package var changed: Set<UserID> = []
    /// They have sockets that are about to be registered.
    package var unsettled: Set<UserID> = []
    /// Users for whom the log of a new thread cannot be read.
    package var unreadable: Set<UserID> = []

    package var all: Set<UserID> { changed.union(unsettled).union(unreadable) }
}
