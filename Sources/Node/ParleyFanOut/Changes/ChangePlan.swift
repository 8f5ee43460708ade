package import ParleyModel

/// The pending work of a `ChangeWatch`, as a value: users of this node to recheck, and API keys for some rounds.
package struct ChangePlan: Sendable {
    /// The maximum number of rooms that are read again.
    package static let roomLimit = 10_000

    /// The number of ticks that a changed API key is searched for. A socket that was authenticated by the key before
    /// the change may appear later; this time is longer than a handshake can last.
    package static let keyTicks = 20

    /// The position in the feed; `nil` until the feed has replied once.
    package private(set) var mark: ChangeMark?
    private var users: Set<UserID> = []
    /// Users who are rechecked after all others. The feed puts all users here if it cannot name the changed ones.
    private var backlog: [UserID] = []
    /// Users whose update is incomplete. The next tick rechecks them.
    private var unfinished: Set<UserID> = []
    /// Changed API keys, with the number of ticks that they are still searched for.
    private var keys: [TokenHash: Int] = [:]
    private var dueKeys: Set<TokenHash> = []
    /// Whether all stored API keys may have changed.
    private var areAllKeysDoubtful = false
    /// Changed rooms, with the number of ticks that they are still read: a user whose memberships were read before the change may
    /// appear later.
    private var rooms: [ThreadID: Int] = [:]
    private var dueRooms: Set<ThreadID> = []
    /// Users whose new names and profiles must be announced.
    private var profiles: Set<UserID> = []
    /// Users who were announced since the last tick. Their next change waits for the next tick, so that no user causes
    /// more than one announcement between two ticks.
    private var announced: Set<UserID> = []

    package init() {}

    /// Adds a user to recheck.
    package mutating func add(_ user: UserID) {
        users.insert(user)
    }

    /// Adds users whose update is incomplete.
    package mutating func addUnfinished(_ users: some Sequence<UserID>) {
        unfinished.formUnion(users)
    }

    /// Schedules incomplete updates again.
    package mutating func tick() {
        users.formUnion(unfinished)
        unfinished = []
        announced = []
        for (key, ticks) in keys {
            dueKeys.insert(key)
            keys[key] = ticks > 1 ? ticks - 1 : nil
        }
        for (room, ticks) in rooms {
            dueRooms.insert(room)
            rooms[room] = ticks > 1 ? ticks - 1 : nil
        }
    }

    /// Takes the rooms to read now.
    package mutating func takeRooms(limit: Int) -> [ThreadID] {
        let taken = Array(dueRooms.prefix(limit))
        dueRooms.subtract(taken)
        return taken
    }

    /// Adds rooms whose read has failed.
    package mutating func addUnfinished(rooms unfinished: [ThreadID]) {
        for room in unfinished where rooms[room] == nil { rooms[room] = 1 }
    }

    /// Whether a page of the feed may omit changed users, so that all users are rechecked.
    package func isAnew(_ page: ChangePage) -> Bool {
        page.isReset || mark == nil
    }

    /// Adds a page of the feed.
    /// - Parameter present: The users of the page that this node has; all users of this node if the page `isAnew`.
    package mutating func received(_ page: ChangePage, present: [UserID]) {
        if isAnew(page) {
            backlog = present
            areAllKeysDoubtful = true
        } else {
            users.formUnion(present)
        }
        for key in page.apiKeys { keys[key] = Self.keyTicks }
        dueKeys.formUnion(page.apiKeys)
        profiles.formUnion(page.profiles)
        for room in page.rooms {
            dueRooms.insert(room)
            if rooms.count < Self.roomLimit { rooms[room] = Self.keyTicks }
        }
        mark = page.mark
    }

    /// Takes the users to recheck now.
    package mutating func take(limit: Int) -> [UserID] {
        var taken = Array(users.prefix(limit))
        users.subtract(taken)
        while taken.count < limit, let user = backlog.popLast() { taken.append(user) }
        return taken
    }

    /// Whether there are more users to recheck or to announce.
    package var hasUsers: Bool {
        !users.isEmpty || !backlog.isEmpty || !profiles.isSubset(of: announced) || !dueRooms.isEmpty
    }

    /// Takes the users to announce now.
    package mutating func takeProfiles(limit: Int) -> [UserID] {
        let taken = Array(profiles.subtracting(announced).prefix(limit))
        profiles.subtract(taken)
        announced.formUnion(taken)
        return taken
    }

    /// Adds users to announce: at once, or after the next tick if they were announced since the last one.
    package mutating func add(profiles users: some Sequence<UserID>) {
        profiles.formUnion(users)
    }

    /// The API keys to search for among the sockets.
    package enum Keys: Hashable, Sendable {
        case none
        case some(Set<TokenHash>)
        case all
    }

    package mutating func takeKeys() -> Keys {
        if areAllKeysDoubtful {
            areAllKeysDoubtful = false
            return .all
        }
        defer { dueKeys = [] }
        return dueKeys.isEmpty ? .none : .some(dueKeys)
    }

    /// Adds API keys whose look-up has failed.
    package mutating func addUnfinished(_ unfinished: Keys) {
        switch unfinished {
        case .none: break
        case .some(let unfinished): for key in unfinished { keys[key] = Self.keyTicks }
        case .all: areAllKeysDoubtful = true
        }
    }
}
