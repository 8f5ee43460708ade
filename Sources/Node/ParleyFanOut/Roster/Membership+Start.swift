package import ParleyModel

/// Memberships whose log begins with the joining, as the store tells of them.
extension Membership {
    /// Whether the log begins later than for a known membership, since the user has left and returned in between.
    func isLater(than known: Membership) -> Bool {
        guard let start, start.isKnown else { return false }
        return start.firstSeq > known.firstSeq
    }

    /// Returns the membership of a control event, with the start of a known membership if that is later: control events may be
    /// late, and the store or a newer event has told of another joining since.
    func notEarlier(than known: Membership?) -> Membership {
        guard let start = known?.start, start.firstSeq > firstSeq,
            start.entry == nil || start.entry != self.start?.entry
        else { return self }
        return with(start: start)
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
