import ParleyModel

/// What the loops lack of snapshots that they were brought to.
struct SnapshotStanding: Sendable {
    /// Users whom control events have changed since the snapshots were asked for: theirs may be older, and were left out.
    var told: Set<UserID> = []
    /// Users with sockets that are about to be there, and may hang on what is void.
    var unsettled: Set<UserID> = []
    /// Memberships that are not live on some loop.
    var missing: [UserID: Set<Membership>] = [:]
    /// Memberships that some loop has and the store has no more.
    var over: [UserID: Set<ThreadID>] = [:]

    mutating func add(_ other: SnapshotStanding) {
        told.formUnion(other.told)
        unsettled.formUnion(other.unsettled)
        missing.merge(other.missing) { $0.union($1) }
        over.merge(other.over) { $0.union($1) }
    }
}

/// Snapshots on their way through the loops.
struct SnapshotUpdate {
    var readState: SnapshotStanding
    /// How many loops have not answered.
    var loops: Int
    let completion: (SnapshotStanding) -> Void
}

/// How users are brought to what the store says of them.
extension HubCore {
    /// Those of `users` who have sockets here, or are about to; `nil`: all there are.
    func present(among users: [UserID]?) -> [UserID] {
        guard let users else {
            return topics.compactMap { name, topic in
                if case .user(let user) = name, !topic.interest.loops.isEmpty { user } else { nil }
            }
        }
        return users.filter { topics[.user($0)]?.interest.loops.isEmpty == false }
    }

    /// Hands snapshots to the loops of their users, at their place among the control events.
    /// - Parameter mark: `controlEvents` before they were read.
    func update(
        to snapshots: [UserSnapshot], readAfter mark: UInt64, _ completion: @escaping (SnapshotStanding) -> Void
    ) {
        var readState = SnapshotStanding()
        var parts = [[UserSnapshot]](repeating: [], count: fanOut.loops.count)
        for snapshot in snapshots {
            guard let topic = topics[.user(snapshot.user.id)] else { continue }
            guard topic.lastControlEvent <= mark else {
                readState.told.insert(snapshot.user.id)
                continue
            }
            topic.interest.loops.forEach { parts[$0].append(snapshot) }
        }
        let loops = parts.indices.filter { !parts[$0].isEmpty }
        guard !loops.isEmpty else { return completion(readState) }
        updateCount += 1
        updates[updateCount] = SnapshotUpdate(readState: readState, loops: loops.count, completion: completion)
        for loop in loops { send(.snapshots(parts[loop], update: updateCount), to: loop) }
        flush()
    }

    /// A loop has taken its part of an update.
    func updated(_ number: UInt64, _ readState: SnapshotStanding) {
        guard var update = updates.removeValue(forKey: number) else { return }
        update.readState.add(readState)
        update.loops -= 1
        if update.loops > 0 {
            updates[number] = update
        } else {
            for (user, threads) in update.readState.over {
                for thread in threads { foundOver(user, in: thread) }
            }
            update.completion(update.readState)
        }
    }
}
