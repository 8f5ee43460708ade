package import ParleyModel

/// Memberships whose log begins with the joining, as the store tells of them.
extension Membership {
    /// Whether the log begins later than for a known membership, since the user has left and returned in between.
    func isLater(than known: Membership) -> Bool {
        guard let start, start.isKnown else { return false }
        return start.firstSeq > known.firstSeq
    }

    /// Returns a stored membership that can be live on this node: with the start of the log that this node knows, if the store
    /// does not have it yet.
    /// - Parameter known: The membership that is live.
    /// - Returns: `nil` if the start is not known, so that nothing of the thread can be shown.
    func shown(after known: Membership?) -> Membership? {
        guard let start, !start.isKnown else { return self }
        guard let own = known?.start, own.entry == start.entry else { return nil }
        return with(start: own)
    }
}

extension UserSnapshot {
    /// The memberships that can be live: those with a known start of the log.
    package var shownMemberships: [Membership] { memberships.filter { $0.start?.isKnown ?? true } }
}
