package import ParleyModel

/// The users shown to a connection: the listed users who share a thread with its user.
extension WatchTable {
    /// Notes that the memberships of a user may have changed, if a watch here depends on them.
    package mutating func noteChange(of user: UserID) {
        changes += 1
        if connectionsOfUser[user] != nil || connectionsListing[user] != nil { changed.insert(user) }
    }

    /// Notes that the memberships of any user may have changed.
    package mutating func noteChangeOfAll() {
        changes += 1
        // The complete list of each connection is checked.
        changed = Set(connectionsOfUser.keys)
    }

    package var hasChanged: Bool { !changed.isEmpty }

    /// Takes a user whose memberships may have changed.
    /// - Returns: The user, and the other users whose shared threads matter: the watchers of the user and the users
    ///   that the user watches. `nil` if there is no such user.
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

    /// The result of a lookup of shared threads.
    package struct Outcome {
        /// States for connections that no longer show a user.
        package var told: [(deliver: Deliver, states: [UserPresence])] = []
        /// The users who are no longer watched.
        package var unwatched: [UserID] = []
        /// Users to show. Pass them to `show` when their presence is known.
        package var missing: [ConnectionID: Set<UserID>] = [:]
    }

    /// Shows the users who share a thread with a watcher, and hides the others.
    /// - Parameters:
    ///   - others: The users that were looked up, from `takeChanged`.
    ///   - shared: The users among them who share a thread with the user.
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
            // The final state of the user; it is omitted if the watcher already has it.
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

    /// Shows users to connections that still list them.
    /// - Parameter missing: The users from `settle`, which are reserved.
    /// - Returns: The known presence for each connection.
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
    /// Returns the state of a user with no shared thread.
    static func hidden(_ user: UserID) -> UserPresence {
        UserPresence(user: user, isOnline: false, lastSeen: nil, stamp: .min)
    }
}
