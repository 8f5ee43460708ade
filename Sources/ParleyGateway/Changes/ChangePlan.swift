package import ParleyModel

/// What a node has still to find out about its users: the bookkeeping of `ChangeWatch`.
///
/// A value. It holds users of this node only, and API keys for some rounds.
package struct ChangePlan: Sendable {
    /// For how many ticks a changed API key is looked for: a socket that was recognised by it before the change may appear
    /// afterwards. Longer than a handshake can last.
    package static let keyTicks = 20

    /// Where the feed goes on; `nil` until it has answered once.
    package private(set) var mark: ChangeMark?
    private var users: Set<UserID> = []
    /// Users who are looked at when there is nothing newer: all, after the feed could not say which.
    private var backlog: [UserID] = []
    /// Users of whom not all could be done; looked at once more with the next tick.
    private var unfinished: Set<UserID> = []
    /// Changed API keys, and for how many ticks they are still looked for.
    private var keys: [TokenHash: Int] = [:]
    private var dueKeys: Set<TokenHash> = []
    /// All stored API keys may have changed.
    private var areAllKeysDoubtful = false

    package init() {}

    /// A user is to be looked at.
    package mutating func add(_ user: UserID) {
        users.insert(user)
    }

    /// Users were looked at, and not all could be done.
    package mutating func addUnfinished(_ users: some Sequence<UserID>) {
        unfinished.formUnion(users)
    }

    /// It is time for what could not be done before.
    package mutating func tick() {
        users.formUnion(unfinished)
        unfinished = []
        for (key, ticks) in keys {
            dueKeys.insert(key)
            keys[key] = ticks > 1 ? ticks - 1 : nil
        }
    }

    /// Whether an answer of the feed leaves open who has changed, so that all are looked at.
    package func isAnew(_ page: ChangePage) -> Bool {
        page.isReset || mark == nil
    }

    /// The feed has answered.
    /// - Parameter present: the users of this node among those of the page; all of this node if the page `isAnew`.
    package mutating func answered(_ page: ChangePage, present: [UserID]) {
        if isAnew(page) {
            backlog = present
            areAllKeysDoubtful = true
        } else {
            users.formUnion(present)
        }
        for key in page.apiKeys { keys[key] = Self.keyTicks }
        dueKeys.formUnion(page.apiKeys)
        mark = page.mark
    }

    /// The users to be looked at now.
    package mutating func take(limit: Int) -> [UserID] {
        var taken = Array(users.prefix(limit))
        users.subtract(taken)
        while taken.count < limit, let user = backlog.popLast() { taken.append(user) }
        return taken
    }

    /// Whether there are more users to be looked at.
    package var hasUsers: Bool { !users.isEmpty || !backlog.isEmpty }

    /// Which API keys are to be looked for among the sockets.
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

    /// The API keys could not be looked up.
    package mutating func addUnfinished(_ unfinished: Keys) {
        switch unfinished {
        case .none: break
        case .some(let unfinished): for key in unfinished { keys[key] = Self.keyTicks }
        case .all: areAllKeysDoubtful = true
        }
    }
}
