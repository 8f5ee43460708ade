package import ParleyModel

/// The result of applying snapshots to the loops.
package struct SnapshotOutcome: Hashable, Sendable {
    /// Users with control events since the snapshots were requested. Their snapshots may be older and were ignored.
    package var changed: Set<UserID> = []
    /// Users with reserved sockets, whose credentials may be invalid.
    package var unsettled: Set<UserID> = []
    /// Memberships of the store that are not live on some loop.
    package var missing: [UserID: Set<Membership>] = [:]
    /// Memberships that some loop has and the store does not.
    package var ended: [UserID: Set<ThreadID>] = [:]
    /// Users with another display name than some loop has.
    package var renamed: Set<UserID> = []

    package init() {}

    mutating func add(_ other: SnapshotOutcome) {
        changed.formUnion(other.changed)
        unsettled.formUnion(other.unsettled)
        missing.merge(other.missing) { $0.union($1) }
        ended.merge(other.ended) { $0.union($1) }
        renamed.formUnion(other.renamed)
    }
}

/// Snapshots that the loops are applying.
struct SnapshotUpdate {
    var outcome: SnapshotOutcome
    /// The number of loops that have not answered.
    var loops: Int
}

/// Changes of users on this node: control events, and snapshots of the store.
extension Hub {
    /// Handles a control event. It may not be the latest, so the user is compared with the store as well.
    mutating func received(_ event: ControlEvent, of user: UserID, at now: Int64, _ actions: inout HubActions) {
        apply(event, to: user, at: now, &actions)
        guard users[user] != nil else { return }
        controlEvents += 1
        users[user]?.lastControlEvent = controlEvents
        actions.append(.reloadUser(user, isUrgent: true))
    }

    /// Applies a change of a user.
    /// - Parameter now: The monotonic time in nanoseconds.
    package mutating func apply(
        _ event: ControlEvent, to user: UserID, at now: Int64, _ actions: inout HubActions
    ) {
        switch event {
        case .added(let membership, let after): beginJoin(user, membership, after: after, &actions)
        case .removed(let thread, let left): remove(user, from: thread, behind: left, at: now, &actions)
        case .sessionRevoked(let token): deliver(.sessionRevoked(user, token), to: user, &actions)
        case .erased: deliver(.erased(user), to: user, &actions)
        // The comparison with the store finds the change.
        case .changed: break
        }
    }

    /// Returns the given users with sockets or reservations on this node; `nil` selects all users with sockets.
    package func present(among names: [UserID]?) -> [UserID] {
        guard let names else {
            return users.compactMap { user, topic in topic.interest.loops.isEmpty ? nil : user }
        }
        return names.filter { users[$0]?.interest.loops.isEmpty == false }
    }

    /// Passes snapshots to the loops, in order with the control events.
    /// - Parameters:
    ///   - mark: The value of `controlEvents` before the snapshots were read.
    ///   - number: The number of the update; `finishUpdate` follows.
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

    /// Handles the answer of a loop to its part of an update.
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
