/// The names that connections currently hold. Of names that people would confuse, at most one is held. A value type.
package struct NameClaims: Sendable {
    /// The outcome of a claim.
    package enum Outcome: Hashable, Sendable {
        case claimed
        /// The connection already holds the name.
        case owned
        case taken
    }

    private struct Claim: Hashable {
        let look: NameLook
        let owner: ConnectionID
    }

    private let limit: Int
    private var claims: Set<Claim> = []
    /// The claims, by the keys of their looks.
    private var byKey: [String: Set<Claim>] = [:]

    /// - Parameter limit: The maximum number of names. Once it is reached, all other names count as taken.
    package init(limit: Int) {
        self.limit = limit
    }

    package mutating func claim(_ look: NameLook, for owner: ConnectionID) -> Outcome {
        let claim = Claim(look: look, owner: owner)
        if claims.contains(claim) { return .owned }
        guard claims.count < limit else { return .taken }
        for key in look.keys {
            let isTaken = byKey[key, default: []].contains { $0.owner != owner && $0.look.isTaken(for: look) }
            if isTaken { return .taken }
        }
        claims.insert(claim)
        for key in look.keys { byKey[key, default: []].insert(claim) }
        return .claimed
    }

    /// - Returns: Whether the connection held the name.
    @discardableResult
    package mutating func release(_ look: NameLook, by owner: ConnectionID) -> Bool {
        let claim = Claim(look: look, owner: owner)
        guard claims.remove(claim) != nil else { return false }
        for key in look.keys {
            byKey[key]?.remove(claim)
            if byKey[key]?.isEmpty == true { byKey[key] = nil }
        }
        return true
    }

    package var all: [(look: NameLook, owner: ConnectionID)] { claims.map { ($0.look, $0.owner) } }
}
