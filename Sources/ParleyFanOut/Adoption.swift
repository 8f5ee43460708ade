package import ParleyModel

/// A user becomes a member of a thread that is live for others already: what they must be shown first.
///
/// While the log is being read, events go on to the others; they are recorded here, so that none falls between the
/// reading and the joining.
package struct Adoption: Sendable {
    /// The most events shown to somebody who comes in; who missed more loads them as history.
    package static let limit = 1000

    let user: UserID
    let membership: Membership
    /// The log is the user's to see after this seq.
    let after: Int64
    private var passed: [LogEvent] = []

    package init(user: UserID, membership: Membership, after: Int64) {
        self.user = user
        self.membership = membership
        self.after = after
    }

    /// An event went to the others.
    package mutating func record(_ event: LogEvent) {
        if passed.count < Self.limit { passed.append(event) }
    }

    /// Splits what is known into what the newcomer is shown at once, because the others have it, and what is still to
    /// go through the gate for everybody.
    package func settle(_ slice: LogSlice, delivered: Position?) -> (replay: [LogEvent], ahead: [LogEvent]) {
        var bySeq: [Int64: LogEvent] = [:]
        for event in slice.events + passed where event.position.seq > after { bySeq[event.position.seq] = event }
        let ordered = bySeq.values.sorted { $0.position.seq < $1.position.seq }
        guard let delivered else { return ([], ordered) }
        return (
            ordered.filter { $0.position.seq <= delivered.seq && $0.position.epoch == delivered.epoch },
            ordered.filter { $0.position.seq > delivered.seq && $0.position.epoch == delivered.epoch }
        )
    }
}
