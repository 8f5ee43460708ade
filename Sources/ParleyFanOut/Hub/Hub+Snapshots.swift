package import ParleyModel

/// What the loops could not take over from snapshots.
package struct SnapshotOutcome: Hashable, Sendable {
    /// Users with control events since the snapshots were requested: theirs may be older, and were left out.
    package var changed: Set<UserID> = []
    /// Users with sockets that are about to be registered, and may have been opened by credentials that are invalid.
    package var unsettled: Set<UserID> = []
    /// Memberships that are not live on some loop.
    package var missing: [UserID: Set<Membership>] = [:]
    /// Memberships that some loop has and the store has no more.
    package var ended: [UserID: Set<ThreadID>] = [:]

    package init() {}

    mutating func add(_ other: SnapshotOutcome) {
        changed.formUnion(other.changed)
        unsettled.formUnion(other.unsettled)
        missing.merge(other.missing) { $0.union($1) }
        ended.merge(other.ended) { $0.union($1) }
    }
}

/// Snapshots on their way through the loops.
struct SnapshotUpdate {
    var outcome: SnapshotOutcome
    /// How many loops have not answered.
    var loops: Int
}

/// Users of this node who change: control events, and snapshots of the store.
extension Hub {
    /// A control event has come. It need not be the newest, so the user is compared with the store as well.
    mutating func received(_ event: ControlEvent, of user: UserID, at now: Int64, _ actions: inout HubActions) {
        apply(event, to: user, at: now, &actions)
        guard users[user] != nil else { return }
        controlEvents += 1
        users[user]?.lastControlEvent = controlEvents
        actions.append(.reloadUser(user, isUrgent: true))
    }

    /// Something has happened to a user.
    /// - Parameter now: nanoseconds by a clock that never goes back.
    package mutating func apply(
        _ event: ControlEvent, to user: UserID, at now: Int64, _ actions: inout HubActions
    ) {
        switch event {
        case .added(let membership, let after): beginJoin(user, membership, after: after, &actions)
        case .removed(let thread, let left): remove(user, from: thread, behind: left, at: now, &actions)
        case .sessionRevoked(let token): deliver(.sessionRevoked(user, token), to: user, &actions)
        case .erased: deliver(.erased(user), to: user, &actions)
        // The comparison with the store finds what it is.
        case .changed: break
        }
    }

    /// Those of `names` who have sockets here, or are about to; `nil`: all users with sockets here.
    package func present(among names: [UserID]?) -> [UserID] {
        guard let names else {
            return users.compactMap { user, topic in topic.interest.loops.isEmpty ? nil : user }
        }
        return names.filter { users[$0]?.interest.loops.isEmpty == false }
    }

    /// Snapshots of users were read; they go to the loops at their place among the control events.
    /// - Parameters:
    ///   - mark: `controlEvents` before they were read.
    ///   - number: identifies the update; `finishUpdate` follows.
    package mutating func update(
        to snapshots: [UserSnapshot], readAfter mark: UInt64, number: UInt64, _ actions: inout HubActions
    ) {
        var outcome = SnapshotOutcome()
        var parts = [[UserSnapshot]](repeating: [], count: loopCount)
        for snapshot in snapshots {
            guard let topic = users[snapshot.user.id] else { continue }
            guard topic.lastControlEvent <= mark else {
                outcome.changed.insert(snapshot.user.id)
                continue
            }
            topic.interest.loops.forEach { parts[$0].append(snapshot) }
        }
        let loops = parts.indices.filter { !parts[$0].isEmpty }
        guard !loops.isEmpty else { return actions.append(.finishUpdate(number, outcome)) }
        updates[number] = SnapshotUpdate(outcome: outcome, loops: loops.count)
        for loop in loops { actions.deliver(.snapshots(parts[loop], update: number), to: loop) }
    }

    /// A loop has taken over its part of an update.
    package mutating func updated(_ number: UInt64, _ outcome: SnapshotOutcome, _ actions: inout HubActions) {
        guard var update = updates.removeValue(forKey: number) else { return }
        update.outcome.add(outcome)
        update.loops -= 1
        guard update.loops == 0 else {
            updates[number] = update
            return
        }
        for (user, ended) in update.outcome.ended {
            for thread in ended { foundEnded(user, in: thread, &actions) }
        }
        actions.append(.finishUpdate(number, update.outcome))
    }
}
