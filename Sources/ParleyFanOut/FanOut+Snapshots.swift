import NIOCore
package import ParleyModel

/// The users of this node against the store: which there are, and how they are brought to what the store says.
extension FanOut {
    /// Those of `users` who have sockets here, or are about to (`nil`: all there are), and what to pass to `update` with
    /// snapshots that are read after this.
    package func present(among users: [UserID]?) async -> (users: [UserID], mark: UInt64) {
        await askHub { ($0.present(among: users), $0.controlEvents) }
    }

    /// Brings the sockets of users to snapshots: memberships, roles, titles, and what hangs on the credentials version.
    /// What a loop knows of a newer version stays.
    /// - Parameters:
    ///   - mark: of `present`, before the snapshots were read.
    ///   - waiting: whether to return only when new memberships are live.
    /// - Returns: who must be looked at again, since not all could be done.
    @discardableResult
    package func update(
        to snapshots: [UserSnapshot], readAfter mark: UInt64, waiting: Bool = false
    ) async -> UnfinishedUpdate {
        let readState = await withCheckedContinuation { continuation in
            onHub { $0.update(to: snapshots, readAfter: mark) { continuation.resume(returning: $0) } }
        }
        var rest = UnfinishedUpdate(told: readState.told, unsettled: readState.unsettled)
        guard !readState.missing.isEmpty else { return rest }
        let threads = Set(readState.missing.values.joined().map(\.thread.id))
        let heads = await RetryingLog(log: log, timeout: []).heads(of: Array(threads))
        await withTaskGroup(of: Void.self) { group in
            for (user, memberships) in readState.missing {
                for membership in memberships {
                    // What happened before is history, as for everybody who comes in.
                    guard let head = heads[membership.thread.id] else {
                        rest.away.insert(user)
                        continue
                    }
                    let after = head?.position.seq ?? 0
                    if waiting {
                        group.addTask { await self.joining(user, membership, after: after) }
                    } else {
                        beginJoin(user, membership, after: after)
                    }
                }
            }
        }
        return rest
    }

    private func joining(_ user: UserID, _ membership: Membership, after: Int64) async {
        await withCheckedContinuation { continuation in
            onHub { $0.beginJoin(user, membership, after: after) { continuation.resume() } }
        }
    }

    /// Parley's own sessions by which sockets of these users were opened, and whose they are.
    package func sessions(of users: [UserID]) async -> [TokenHash: User] {
        await onLoops { $0.sessions(of: users) }.reduce(into: [:]) { $0.merge($1) { $1 } }
    }

    /// Those of the keys that sockets here were opened with; `nil`: all there are.
    package func apiKeys(among keys: Set<TokenHash>?) async -> Set<TokenHash> {
        await onLoops { $0.apiKeys(among: keys) }.reduce(into: []) { $0.formUnion($1) }
    }

    /// API keys are void: closes what was opened with them.
    package func revoke(apiKeys keys: Set<TokenHash>) {
        for (index, loop) in loops.enumerated() { loop.execute { [self] in roster(index).revoke(apiKeys: keys) } }
    }

    /// The versions that the loops know mean nothing any more: the next snapshot of each user counts, whatever its version.
    package func forgetVersions() async {
        _ = await onLoops { $0.forgetVersions() }
    }

    private func askHub<Reply: Sendable>(_ body: @escaping @Sendable (HubCore) -> Reply) async -> Reply {
        await withCheckedContinuation { continuation in
            onHub { continuation.resume(returning: body($0)) }
        }
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

/// Whom an update of snapshots has left for another time.
package struct UnfinishedUpdate: Hashable, Sendable {
    /// Control events came while the snapshots were read, which may be older.
    package var told: Set<UserID> = []
    /// They have sockets that are about to be there.
    package var unsettled: Set<UserID> = []
    /// The log of a thread they are new in is away.
    package var away: Set<UserID> = []

    package var all: Set<UserID> { told.union(unsettled).union(away) }
}

/// There is no such user, or no more.
package struct UnknownUser: Error, Hashable {
    package let id: UserID
}
