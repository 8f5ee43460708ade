package import ParleyModel

/// Checks that each bot sees each event of its threads exactly once and in order, and that everything acknowledged is
/// there at the end.
///
/// A value without sockets and clocks: each occurrence is reported by one call, and `HistoryChecker.verdict(…)`
/// compares the result with REST. It keeps a position for each membership, one number for each event, and 32 bytes for
/// each ack. Each event loop has its own checker for its bots.
///
/// The guarantees it checks, by dialect:
/// - v1: from `hello` on every seq follows the one before, across reconnects too, unless `behind` or `resumed` reports
///   the events in between as skipped.
/// - classic: on one socket messages arrive in order and without gaps; seqs in between belong to other events.
package struct Checker: Codable, Sendable {
    /// Seqs that a classic socket was not sent, which is correct if they are not messages.
    struct Gap: Codable, Hashable, Sendable {
        let membership: Int32
        let epoch: Int32
        let seqs: ClosedRange<Int64>
    }

    /// The server's acknowledgement of a send.
    struct Ack: Codable, Hashable, Sendable {
        let tag: MessageTag
        let thread: Int32
        let epoch: Int32
        let seq: Int64
        let isStored: Bool
    }

    /// A send without a reply.
    struct SendWithoutEcho: Codable, Hashable, Sendable {
        let tag: MessageTag
        let thread: Int32
    }

    /// The relation of an event to the earlier ones on the socket.
    package enum Sighting: Hashable, Sendable {
        case next, repeated
    }

    /// Maximum number of gaps recorded for classic sockets.
    package static let maximumGaps = 100_000

    package private(set) var memberships: [BotMembership]
    private(set) var sightings: [ThreadSightings]
    private(set) var gaps: [Gap] = []
    private(set) var acks: [Ack] = []
    /// Classic sends without an echo when their socket broke: stored once, or not at all.
    private(set) var uncertain: Set<UInt64> = []
    /// Classic sends without an echo on sockets that did not break.
    private(set) var sendsWithoutEcho: [SendWithoutEcho] = []
    package private(set) var violations = Violations()
    /// See `LoadPlan.mayRollBack`.
    let mayRollBack: Bool

    package init(threads: Int, memberships: [BotMembership], mayRollBack: Bool = false) {
        self.memberships = memberships
        self.mayRollBack = mayRollBack
        sightings = [ThreadSightings](repeating: ThreadSightings(), count: threads)
    }

    // MARK: Sockets

    /// The bot will receive everything above `seq`: the position in `hello`, while the bot has none of its own.
    /// - Parameter epoch: empty for a thread without events.
    package mutating func opened(_ membership: Int, epoch: UnsafeRawBufferPointer, seq: Int64) {
        memberships[membership].last = seq
        memberships[membership].awaitsEpoch = seq == 0
        memberships[membership].epoch = seq == 0 ? -1 : sightings[Int(memberships[membership].thread)].index(of: epoch)
    }

    /// The hello does not list this thread, since the user has too many: the first event shows the position.
    package mutating func openedSomewhere(_ membership: Int) {
        (memberships[membership].epoch, memberships[membership].last, memberships[membership].awaitsEpoch) = (
            -1, -1, true
        )
    }

    /// A classic socket was opened.
    /// - Parameter isFromStart: nothing has been sent so far.
    package mutating func openedClassic(_ membership: Int, isFromStart: Bool) {
        memberships[membership].epoch = -1
        memberships[membership].last = 0
        memberships[membership].isFromStart = isFromStart
    }

    /// A log event arrived on the bot's socket, live or replayed.
    package mutating func received(
        _ membership: Int, epoch: UnsafeRawBufferPointer, seq: Int64, _ tag: MessageTag
    ) -> Sighting {
        let thread = Int(memberships[membership].thread)
        let index: Int32
        if memberships[membership].epoch >= 0, sightings[thread].matches(epoch, memberships[membership].epoch) {
            index = memberships[membership].epoch
        } else {
            index = sightings[thread].index(of: epoch)
            changeEpoch(membership, to: index, seq)
        }
        let last = memberships[membership].last
        record(tag, thread, index, seq, bot: memberships[membership].bot)
        if seq == last + 1 {
            memberships[membership].last = seq
            return .next
        }
        guard seq > last else {
            fault(.doubled, membership, seq, "was received again or late; the socket was at seq \(last)")
            return .repeated
        }
        missed(membership, last + 1...seq - 1)
        memberships[membership].last = seq
        return .next
    }

    private mutating func changeEpoch(_ membership: Int, to epoch: Int32, _ seq: Int64) {
        let old = memberships[membership]
        memberships[membership].epoch = epoch
        memberships[membership].awaitsEpoch = false
        if old.epoch < 0 {
            // Above the position in hello or, on a classic socket, from here on.
            if old.isClassic, !old.isFromStart { memberships[membership].last = seq - 1 }
            if old.awaitsEpoch, old.last < 0 { memberships[membership].last = seq - 1 }
            return
        }
        // What is replayed may begin in a former epoch and end in the present one.
        if old.isResuming, seq == old.last + 1 { return }
        if old.isClassic, mayRollBack || seq > old.last {
            if mayRollBack { memberships[membership].last = seq - 1 }
            return
        }
        fault(.rolledBack, membership, seq, "the epoch changed without notice")
        memberships[membership].last = seq - 1
    }

    private mutating func missed(_ membership: Int, _ seqs: ClosedRange<Int64>) {
        if memberships[membership].isClassic {
            if gaps.count < Self.maximumGaps {
                gaps.append(Gap(membership: Int32(membership), epoch: memberships[membership].epoch, seqs: seqs))
            } else {
                fault(.gap, membership, seqs.lowerBound, "too many gaps to check all of them")
            }
        } else {
            fault(
                .gap, membership, seqs.lowerBound, "the socket did not receive \(seqs.lowerBound) to \(seqs.upperBound)"
            )
        }
    }

    private mutating func record(_ tag: MessageTag, _ thread: Int, _ epoch: Int32, _ seq: Int64, bot: Int32) {
        switch sightings[thread].record(tag, epoch: epoch, seq: seq) {
        case .new, .known: break
        case .differs(let other):
            violations.add(
                GuaranteeViolation(
                    .seqReused, thread: thread, seq: seq, bot: Int(bot),
                    "is \(tag), but another socket received \(other)"))
        case .tooFar:
            violations.add(
                GuaranteeViolation(
                    .seqReused, thread: thread, seq: seq, bot: Int(bot), "is too far from all other seqs"))
        }
    }

    private mutating func fault(_ kind: GuaranteeViolation.Kind, _ membership: Int, _ seq: Int64?, _ detail: String) {
        let (thread, bot) = (Int(memberships[membership].thread), Int(memberships[membership].bot))
        violations.add(GuaranteeViolation(kind, thread: thread, seq: seq, bot: bot, detail))
    }

    /// The bot's socket, which had been opened, is closed.
    package mutating func closed(_ membership: Int) {
        if memberships[membership].isClassic { openedClassic(membership, isFromStart: false) }
    }

    // MARK: Skipped events

    /// The server reports events that it does not send: `behind`, or `resumed` with `page`.
    /// - Returns: the range that the bot has not seen and must fetch; `nil` if it has all of them.
    package mutating func leftOut(_ membership: Int, _ seqs: ClosedRange<Int64>) -> ClosedRange<Int64>? {
        let last = memberships[membership].last
        if seqs.lowerBound > last + 1 {
            fault(
                .gap, membership, last + 1, "was neither received nor reported as skipped, up to \(seqs.lowerBound - 1)"
            )
        }
        guard seqs.upperBound > last else { return nil }
        memberships[membership].last = seqs.upperBound
        return max(last + 1, seqs.lowerBound)...seqs.upperBound
    }

    /// The replay has ended; it had to reach `seq`.
    package mutating func replayed(_ membership: Int, through seq: Int64) {
        guard memberships[membership].last != seq else { return }
        fault(.gap, membership, memberships[membership].last + 1, "the replay ended before seq \(seq)")
        memberships[membership].last = max(seq, memberships[membership].last)
    }

    /// The epoch has changed; the next event may have any seq.
    package mutating func rolledBack(_ membership: Int, from seq: Int64) {
        if !mayRollBack { fault(.rolledBack, membership, seq, "the server reports a new epoch") }
        memberships[membership].epoch = -1
        memberships[membership].awaitsEpoch = true
        memberships[membership].last = -1
    }

    /// The bot asks for what it has missed, until `resumed`.
    package mutating func resumes(_ membership: Int, _ isResuming: Bool) {
        memberships[membership].isResuming = isResuming
    }

    /// A resume names the epoch in which the thread continues. A new epoch continues it without loss.
    package mutating func continued(_ membership: Int, epoch: UnsafeRawBufferPointer) {
        guard memberships[membership].epoch >= 0 else { return }
        let index = sightings[Int(memberships[membership].thread)].index(of: epoch)
        memberships[membership].epoch = index
    }

    /// An event of a page that the bot has fetched.
    package mutating func fetched(_ membership: Int, epoch: UnsafeRawBufferPointer, seq: Int64, _ tag: MessageTag) {
        let thread = Int(memberships[membership].thread)
        record(tag, thread, sightings[thread].index(of: epoch), seq, bot: memberships[membership].bot)
    }

    /// A page does not continue where the one before ended, or lacks events of its range.
    package mutating func pageLacks(_ membership: Int, _ seq: Int64) {
        fault(.gap, membership, seq, "is missing from a page of the history")
    }

    /// The load is over, and skipped events from this seq on have not been fetched.
    /// - Parameter requested: how long ago their page was requested, in microseconds; `nil` if it was not.
    package mutating func unfetched(_ membership: Int, _ seq: Int64, requested: Int64?) {
        let why = requested.map { "was requested \($0 / 1000) ms ago and has not arrived" } ?? "was not requested yet"
        fault(.gap, membership, seq, "the page of the history that has it \(why)")
    }

    /// The server rejects the bot's membership in the thread.
    package mutating func rejected(_ membership: Int, _ why: String) {
        fault(.absent, membership, nil, why)
    }

    /// By thread, the highest seq seen or acknowledged in its newest epoch; 0 if there is none.
    package var heads: [Int64] {
        var heads = sightings.map { thread in
            thread.epochs.last.map { $0.first + Int64($0.tags.count) - 1 } ?? 0
        }
        for ack in acks where Int(ack.epoch) == sightings[Int(ack.thread)].epochs.count - 1 {
            heads[Int(ack.thread)] = max(heads[Int(ack.thread)], ack.seq)
        }
        return heads
    }

    /// The number of v1 memberships that have not reached these seqs, by thread.
    package func lagging(behind seqs: [Int64]) -> Int {
        memberships.count { !$0.isClassic && $0.epoch >= 0 && $0.last < seqs[Int($0.thread)] }
    }

    /// The position to resume from; `nil` if there is none, so that everything arrives live.
    package func position(_ membership: Int) -> Position? {
        let membership = memberships[membership]
        guard membership.epoch >= 0, !membership.isClassic else {
            return membership.awaitsEpoch && membership.last == 0 ? Position(epoch: Epoch(""), seq: 0) : nil
        }
        let epoch = sightings[Int(membership.thread)].epochs[Int(membership.epoch)].epoch
        return Position(epoch: Epoch(String(decoding: epoch, as: UTF8.self)), seq: membership.last)
    }

    // MARK: Sends

    /// An ack or, on a classic socket, an echo reports that a send is in the log.
    package mutating func acked(
        _ tag: MessageTag, thread: Int, epoch: UnsafeRawBufferPointer, seq: Int64, isStored: Bool
    ) {
        let index = sightings[thread].index(of: epoch)
        acks.append(Ack(tag: tag, thread: Int32(thread), epoch: index, seq: seq, isStored: isStored))
    }

    /// Sends in this membership may be stored in another order than they were first sent in.
    package mutating func mayReorder(_ membership: Int) {
        memberships[membership].mayReorder = true
    }

    /// A classic socket broke before the echo of this send came.
    package mutating func missedEcho(of tag: MessageTag) {
        uncertain.insert(tag.raw)
    }

    /// The load is over, and this send on a live socket was never answered.
    /// - Parameter membership: the membership it was sent in.
    package mutating func unanswered(_ tag: MessageTag, _ membership: Int) {
        if memberships[membership].isClassic {
            sendsWithoutEcho.append(SendWithoutEcho(tag: tag, thread: memberships[membership].thread))
        } else {
            fault(.unanswered, membership, nil, "\(tag) was never acknowledged")
        }
    }

    /// The bot has no live socket at the end.
    package mutating func absent(_ bot: Int, _ why: String) {
        violations.add(GuaranteeViolation(.absent, bot: bot, why))
    }
}
