package import ParleyModel

/// The watched users of this node, by connection, with their last known presence. A `PresenceWatch` owns this value.
///
/// - A connection **lists** users. The listed users who share a thread with its user are **shown** to it; see
///   `WatchTable+Memberships.swift` for changes.
/// - A shown user is in the table from the reservation on (`reserve`), so that the subscription and the first read
///   precede the watch (`install`).
package struct WatchTable: Sendable {
    package typealias Deliver = @Sendable ([UserPresence]) -> Void

    /// The identity of a call of `watch`. A later call of the same connection replaces it.
    package struct Ticket: Hashable, Sendable {
        let connection: ConnectionID
        let number: UInt64
        /// The number of changes of memberships when the call began.
        let changes: UInt64
    }

    struct Watcher {
        var newest: Ticket
        /// The user of the connection, from the first `install` on.
        var user: UserID?
        /// The users of the last `install`, and the shown users among them.
        var listed: Set<UserID> = []
        var shown: Set<UserID> = []
        var deliver: Deliver?
    }

    struct Watched {
        /// The connections that the user is shown to.
        var connections: Set<ConnectionID> = []
        /// The number of pending calls of `watch` for this user.
        var reservations = 0
        var known: UserPresence?
    }

    var watchers: [ConnectionID: Watcher] = [:]
    var watched: [UserID: Watched] = [:]
    /// The connections of a watching user, and the connections that list a user.
    var connectionsOfUser: [UserID: Set<ConnectionID>] = [:]
    var connectionsListing: [UserID: Set<ConnectionID>] = [:]
    /// Users whose memberships may have changed.
    var changed: Set<UserID> = []
    var changes: UInt64 = 0
    private var lastNumber: UInt64 = 0
    /// The number of pairs of connection and listed user, plus reservations.
    package private(set) var pairs = 0

    package init() {}

    /// All watched users.
    package var users: [UserID] { Array(watched.keys) }
    package var isEmpty: Bool { watchers.isEmpty && watched.isEmpty }

    /// Begins a call of `watch`. The current watch of the connection stays until `install`.
    package mutating func begin(_ connection: ConnectionID) -> Ticket {
        lastNumber += 1
        let ticket = Ticket(connection: connection, number: lastNumber, changes: changes)
        if watchers[connection] == nil {
            watchers[connection] = Watcher(newest: ticket)
        } else {
            watchers[connection]?.newest = ticket
        }
        return ticket
    }

    /// - Returns: Whether the connection still exists without a newer call.
    package func isCurrent(_ ticket: Ticket) -> Bool {
        watchers[ticket.connection]?.newest == ticket
    }

    /// Reserves users who are about to be watched. `release` must follow.
    package mutating func reserve(_ users: Set<UserID>) {
        pairs += users.count
        for user in users { watched[user, default: Watched()].reservations += 1 }
    }

    /// Undoes a `reserve`.
    /// - Returns: The users who are no longer watched.
    package mutating func release(_ users: Set<UserID>) -> [UserID] {
        pairs -= users.count
        for user in users { watched[user]?.reservations -= 1 }
        return forgetUnwatched(users)
    }

    /// Replaces the watch of a connection.
    /// - Parameters:
    ///   - user: The user of the connection.
    ///   - shown: The listed users who share a thread with the user, as read after `begin`.
    /// - Returns: The known presence of the shown users, and the users who are no longer watched; `nil` if the
    ///   connection was closed or has made a newer call.
    package mutating func install(
        _ ticket: Ticket, by user: UserID, _ listed: Set<UserID>, shown: Set<UserID>, _ deliver: @escaping Deliver
    ) -> (known: [UserPresence], unwatched: [UserID])? {
        guard isCurrent(ticket), let old = watchers[ticket.connection] else { return nil }
        unlist(old, ticket.connection)
        watchers[ticket.connection] = Watcher(
            newest: ticket, user: user, listed: listed, shown: shown, deliver: deliver)
        connectionsOfUser[user, default: []].insert(ticket.connection)
        for other in listed { connectionsListing[other, default: []].insert(ticket.connection) }
        for other in shown { watched[other, default: Watched()].connections.insert(ticket.connection) }
        for other in old.shown.subtracting(shown) { watched[other]?.connections.remove(ticket.connection) }
        pairs += listed.count - old.listed.count
        // The read may lack a change since `begin`.
        if ticket.changes != changes { changed.insert(user) }
        return (shown.compactMap { watched[$0]?.known }, forgetUnwatched(old.shown))
    }

    /// Ends the watch of a connection.
    /// - Returns: The users who are no longer watched.
    package mutating func remove(_ connection: ConnectionID) -> [UserID] {
        guard let watcher = watchers.removeValue(forKey: connection) else { return [] }
        unlist(watcher, connection)
        for user in watcher.shown { watched[user]?.connections.remove(connection) }
        pairs -= watcher.listed.count
        return forgetUnwatched(watcher.shown)
    }

    private mutating func unlist(_ watcher: Watcher, _ connection: ConnectionID) {
        if let user = watcher.user { connectionsOfUser.remove(connection, of: user) }
        for user in watcher.listed { connectionsListing.remove(connection, of: user) }
    }

    mutating func forgetUnwatched(_ users: Set<UserID>) -> [UserID] {
        let unwatched = users.filter { user in
            watched[user].map { $0.connections.isEmpty && $0.reservations == 0 } ?? false
        }
        for user in unwatched { watched[user] = nil }
        return Array(unwatched)
    }

    /// Applies a presence that was published or read.
    /// - Parameter trustsOffline: `false` while nodes may not have published all of their users.
    /// - Returns: The watchers to notify; empty if the state has not changed.
    package mutating func update(_ presence: UserPresence, trustsOffline: Bool = true) -> [Deliver] {
        guard let entry = watched[presence.user] else { return [] }
        let known = entry.known
        guard known.map({ $0.stamp <= presence.stamp }) ?? true, presence.isOnline || trustsOffline || known == nil
        else { return [] }
        watched[presence.user]?.known = presence
        let isNew = known?.isOnline != presence.isOnline || known?.lastSeen != presence.lastSeen
        // `install` delivers the first known state.
        guard isNew, known != nil else { return [] }
        return entry.connections.compactMap { watchers[$0]?.deliver }
    }

    /// Clears all stamps, because Redis may be another instance with another clock.
    package mutating func forgetStamps() {
        for user in watched.keys {
            guard let known = watched[user]?.known else { continue }
            watched[user]?.known = UserPresence(
                user: user, isOnline: known.isOnline, lastSeen: known.lastSeen, stamp: .min)
        }
    }
}

extension [UserID: Set<ConnectionID>] {
    fileprivate mutating func remove(_ connection: ConnectionID, of user: UserID) {
        self[user]?.remove(connection)
        if self[user]?.isEmpty == true { self[user] = nil }
    }
}

/// Detects dead nodes, as a value. A node is dead if two successive checks find no lease. A node whose lease was lost
/// by Redis renews it before the second check.
package struct LeaseCheck: Hashable, Sendable {
    private var alive: Set<String> = []
    private var missing: Set<String> = []

    package init() {}

    /// - Parameter leases: The current leases.
    /// - Returns: Whether a node has died since the last check.
    package mutating func update(_ leases: Set<String>) -> Bool {
        let gone = missing.subtracting(leases)
        missing = alive.subtracting(leases).subtracting(gone)
        alive = leases.union(missing)
        return !gone.isEmpty
    }
}
