/// Names that connections have at the moment, at most one of all that are taken for one another. A value.
package struct NameClaims: Sendable {
    /// The outcome of a claim.
    package enum Outcome: Hashable, Sendable {
        case claimed
        /// The connection has the name already.
        case owned
        case taken
    }

    private struct Claim: Hashable {
        let look: NameLook
        let owner: ConnectionID
    }

    private let limit: Int
    private var claims: Set<Claim> = []
    /// The claims on each key of their looks.
    private var byKey: [String: Set<Claim>] = [:]

    /// - Parameter limit: the maximum number of names; above it every further name counts as taken.
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

    /// - Returns: whether the connection had the name.
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
