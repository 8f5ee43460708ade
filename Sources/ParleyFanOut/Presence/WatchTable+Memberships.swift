package import ParleyModel

/// Whom a connection is shown: those of its listed users who share a thread with its user.
extension WatchTable {
    /// Notes that the memberships of a user may have changed, if that concerns a watch here.
    package mutating func noteChange(of user: UserID) {
        changes += 1
        if connectionsOfUser[user] != nil || connectionsListing[user] != nil { changed.insert(user) }
    }

    /// Notes that the memberships of any user may have changed.
    package mutating func noteChangeOfAll() {
        changes += 1
        // What each of them is shown is checked whole.
        changed = Set(connectionsOfUser.keys)
    }

    package var hasChanged: Bool { !changed.isEmpty }

    /// Takes a user whose memberships may have changed.
    /// - Returns: the user, and the others with whom a shared thread matters: who watch the user or are listed by the
    ///   user. `nil` if there is no user.
    package mutating func takeChanged() -> (user: UserID, others: Set<UserID>)? {
        guard let user = changed.popFirst() else { return nil }
        var others: Set<UserID> = []
        for connection in connectionsOfUser[user, default: []] { others.formUnion(watchers[connection]?.listed ?? []) }
        for connection in connectionsListing[user, default: []] {
            if let watcher = watchers[connection]?.user { others.insert(watcher) }
        }
        others.remove(user)
        return (user, others)
    }

    /// What follows from a look at shared threads.
    package struct Outcome {
        /// For connections to which users are no longer shown.
        package var told: [(deliver: Deliver, states: [UserPresence])] = []
        /// The users who are no longer watched.
        package var unwatched: [UserID] = []
        /// Users to show, to be passed to `show` when their presence is known.
        package var missing: [ConnectionID: Set<UserID>] = [:]
    }

    /// Shows the users with whom a watcher shares a thread, and stops showing the others.
    /// - Parameters:
    ///   - others: those that were looked up, from `takeChanged`.
    ///   - shared: those of them who share a thread with the user.
    package mutating func settle(_ user: UserID, among others: Set<UserID>, shared: Set<UserID>) -> Outcome {
        var outcome = Outcome()
        var hidden: Set<UserID> = []
        func settle(_ connection: ConnectionID, _ other: UserID, isShared: Bool) {
            guard let watcher = watchers[connection], watcher.shown.contains(other) != isShared else { return }
            guard !isShared else {
                outcome.missing[connection, default: []].insert(other)
                return
            }
            watchers[connection]?.shown.remove(other)
            let known = watched[other]?.known
            watched[other]?.connections.remove(connection)
            hidden.insert(other)
            // The last that is told of the user; nothing if it was told before.
            if known?.isOnline != false || known?.lastSeen != nil, let deliver = watcher.deliver {
                outcome.told.append((deliver, [.hidden(other)]))
            }
        }
        for connection in connectionsOfUser[user, default: []] {
            for other in watchers[connection]?.listed ?? [] where other != user && others.contains(other) {
                settle(connection, other, isShared: shared.contains(other))
            }
        }
        for connection in connectionsListing[user, default: []] {
            guard let watcher = watchers[connection]?.user, watcher != user, others.contains(watcher) else { continue }
            settle(connection, user, isShared: shared.contains(watcher))
        }
        outcome.unwatched = forgetUnwatched(hidden)
        return outcome
    }

    /// Shows users to connections that list them still.
    /// - Parameter missing: from `settle`; the users are reserved.
    /// - Returns: what is known of them, for each connection.
    package mutating func show(
        _ missing: [ConnectionID: Set<UserID>]
    ) -> [(deliver: Deliver, states: [UserPresence])] {
        missing.compactMap { connection, users in
            guard let watcher = watchers[connection], let deliver = watcher.deliver else { return nil }
            let shown = users.intersection(watcher.listed).subtracting(watcher.shown)
            watchers[connection]?.shown.formUnion(shown)
            for user in shown { watched[user, default: Watched()].connections.insert(connection) }
            let states = shown.compactMap { watched[$0]?.known }
            return states.isEmpty ? nil : (deliver, states)
        }
    }
}

extension UserPresence {
    /// What is told of a user with whom no thread is shared.
    static func hidden(_ user: UserID) -> UserPresence {
        UserPresence(user: user, isOnline: false, lastSeen: nil, stamp: .min)
    }
}
