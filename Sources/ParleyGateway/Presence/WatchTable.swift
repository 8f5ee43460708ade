package import ParleyModel

/// Which connections watch whom on this node, and what is known of those users; a value, owned by a `PresenceWatch`.
///
/// A user is in it from the moment that somebody wants to watch them (`reserve`), so that the subscription and the
/// first reading come before the watching itself (`install`).
package struct WatchTable: Sendable {
    package typealias Deliver = @Sendable ([UserPresence]) -> Void

    /// Names one call of `watch`; a later one of the same connection replaces it.
    package struct Ticket: Hashable, Sendable {
        let connection: ConnectionID
        let number: UInt64
    }

    private struct Watcher {
        var newest: Ticket
        /// Those who are watched now, by `installed`.
        var users: Set<UserID> = []
        var deliver: Deliver?
    }

    private struct Watched {
        var connections: Set<ConnectionID> = []
        /// Calls of `watch` that are under way for this user.
        var reservations = 0
        var known: UserPresence?
    }

    private var watchers: [ConnectionID: Watcher] = [:]
    private var watched: [UserID: Watched] = [:]
    private var lastNumber: UInt64 = 0
    /// Pairs of connection and user, reservations included.
    package private(set) var pairs = 0

    package init() {}

    /// Everybody who is watched.
    package var users: [UserID] { Array(watched.keys) }
    package var isEmpty: Bool { watchers.isEmpty && watched.isEmpty }

    /// A connection begins to ask for users; what it watches stays until `install`.
    package mutating func begin(_ connection: ConnectionID) -> Ticket {
        lastNumber += 1
        let ticket = Ticket(connection: connection, number: lastNumber)
        if watchers[connection] == nil {
            watchers[connection] = Watcher(newest: ticket)
        } else {
            watchers[connection]?.newest = ticket
        }
        return ticket
    }

    /// - Returns: whether the connection is still there, and has not asked anew.
    package func isCurrent(_ ticket: Ticket) -> Bool {
        watchers[ticket.connection]?.newest == ticket
    }

    /// Users are about to be watched. To be undone by `release`.
    package mutating func reserve(_ users: Set<UserID>) {
        pairs += users.count
        for user in users { watched[user, default: Watched()].reservations += 1 }
    }

    /// Undoes a `reserve`.
    /// - Returns: those whom nobody watches any more.
    package mutating func release(_ users: Set<UserID>) -> [UserID] {
        pairs -= users.count
        for user in users { watched[user]?.reservations -= 1 }
        return forgetUnwatched(users)
    }

    /// From now on the connection watches these users and no others.
    /// - Returns: what is known of them, and those whom nobody watches any more; `nil` if the connection is gone or has
    ///   asked anew.
    package mutating func install(
        _ ticket: Ticket, _ users: Set<UserID>, _ deliver: @escaping Deliver
    ) -> (known: [UserPresence], unwatched: [UserID])? {
        guard isCurrent(ticket), let old = watchers[ticket.connection]?.users else { return nil }
        watchers[ticket.connection]?.users = users
        watchers[ticket.connection]?.deliver = deliver
        for user in users { watched[user, default: Watched()].connections.insert(ticket.connection) }
        for user in old.subtracting(users) { watched[user]?.connections.remove(ticket.connection) }
        pairs += users.count - old.count
        return (users.compactMap { watched[$0]?.known }, forgetUnwatched(old))
    }

    /// The connection watches nobody any more.
    /// - Returns: those whom nobody watches any more.
    package mutating func remove(_ connection: ConnectionID) -> [UserID] {
        guard let watcher = watchers.removeValue(forKey: connection) else { return [] }
        for user in watcher.users { watched[user]?.connections.remove(connection) }
        pairs -= watcher.users.count
        return forgetUnwatched(watcher.users)
    }

    private mutating func forgetUnwatched(_ users: Set<UserID>) -> [UserID] {
        let unwatched = users.filter { user in
            watched[user].map { $0.connections.isEmpty && $0.reservations == 0 } ?? false
        }
        for user in unwatched { watched[user] = nil }
        return Array(unwatched)
    }

    /// A state was heard or read.
    /// - Parameter believesOffline: `false` while nodes may not have said yet who their users are.
    /// - Returns: whom to tell; nobody if it is nothing new.
    package mutating func learn(_ presence: UserPresence, believesOffline: Bool = true) -> [Deliver] {
        guard let entry = watched[presence.user] else { return [] }
        let known = entry.known
        guard known.map({ $0.stamp <= presence.stamp }) ?? true, presence.isOnline || believesOffline || known == nil
        else { return [] }
        watched[presence.user]?.known = presence
        let isNew = known?.isOnline != presence.isOnline || known?.lastSeen != presence.lastSeen
        // What is first known is told by `install`.
        guard isNew, known != nil else { return [] }
        return entry.connections.compactMap { watchers[$0]?.deliver }
    }

    /// Stamps say nothing any more: Redis may be another one, with another clock.
    package mutating func forgetStamps() {
        for user in watched.keys {
            guard let known = watched[user]?.known else { continue }
            watched[user]?.known = UserPresence(
                user: user, isOnline: known.isOnline, lastSeen: known.lastSeen, stamp: .min)
        }
    }
}
