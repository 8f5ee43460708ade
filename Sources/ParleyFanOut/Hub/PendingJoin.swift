package import ParleyModel

/// A user becomes a member of a thread that may be live for others already: what they must be shown first.
///
/// While the log is being read, events go on to the others; they are recorded here, so that none falls between the
/// reading and the joining.
package struct PendingJoin: Sendable {
    /// The most events shown to somebody who comes in; who missed more loads them as history.
    package static let limit = 1000

    /// Names this adoption: the user may leave and be adopted again before the log has been read.
    let number: UInt64
    let user: UserID
    let membership: Membership
    /// The log is the user's to see after this seq.
    let after: Int64
    /// The newest events that went to the others.
    private var passed: [LogEvent] = []

    package init(number: UInt64, user: UserID, membership: Membership, after: Int64) {
        self.number = number
        self.user = user
        self.membership = membership
        self.after = after
    }

    /// An event went to the others.
    package mutating func record(_ event: LogEvent) {
        if passed.count == 2 * Self.limit { passed.removeFirst(Self.limit) }
        passed.append(event)
    }

    /// Splits what is known into what the newcomer is shown at once, because the others have it, and what is still to
    /// go through the gate for everybody.
    ///
    /// What the newcomer is shown ends where the others are and has no hole; if something is missing in between, then
    /// what is older is left to the history.
    /// - Parameter events: the newest of the log, read after the adoption began.
    package func settle(_ events: [LogEvent], delivered: Position?) -> (replay: [LogEvent], ahead: [LogEvent]) {
        guard let delivered else { return ([], events.filter { $0.position.seq > after }) }
        var bySeq: [Int64: LogEvent] = [:]
        for event in events + passed where event.position.epoch == delivered.epoch {
            bySeq[event.position.seq] = event
        }
        var replay: [LogEvent] = []
        var seq = delivered.seq
        while seq > after, replay.count < Self.limit, let event = bySeq[seq] {
            replay.append(event)
            seq -= 1
        }
        let ahead = events.filter { $0.position.epoch != delivered.epoch || $0.position.seq > delivered.seq }
        return (replay.reversed(), ahead)
    }
}
