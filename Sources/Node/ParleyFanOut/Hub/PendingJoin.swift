package import ParleyModel

/// A user who is being added to a thread that may already be live for others.
///
/// While the log is read for the user, events continue to reach the others. They are recorded here, so that the user
/// misses none of them.
package struct PendingJoin: Sendable {
    /// The maximum number of events replayed to a new member; older ones are loaded as history.
    package static let limit = 1000

    /// The number of the join, because the user may leave and be added again before the log is read.
    let number: UInt64
    let user: UserID
    let membership: Membership
    /// The user may see the log after this `seq`.
    let after: Int64
    /// The newest events that were passed to the others in the meantime.
    private var passed: [LogEvent] = []

    package init(number: UInt64, user: UserID, membership: Membership, after: Int64) {
        self.number = number
        self.user = user
        self.membership = membership
        self.after = after
    }

    /// Records an event that was passed to the others.
    package mutating func record(_ event: LogEvent) {
        if passed.count == 2 * Self.limit { passed.removeFirst(Self.limit) }
        passed.append(event)
    }

    /// Splits the known events into a replay for the new member and events that have not passed the gate yet. The other
    /// members have already received the replayed events.
    ///
    /// The replay ends at the last event that the others have, and contains no gap. Events before a gap are left to the
    /// history.
    /// - Parameters:
    ///   - events: The newest events of the log, read after the join began.
    ///   - delivered: The last event that the others have.
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
