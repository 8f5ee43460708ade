package import ParleyModel

/// Whether each bot sees each event of its threads exactly once and in order, and whether all that was acknowledged
/// is there at the end.
///
/// A value without sockets and clocks: it is told what happened, one call for each event, and `verdict(…)` compares it
/// with what REST says. What it keeps: a place for each seat, one number for each event, 32 bytes for each ack. Each
/// event loop has one of its own, for its bots.
///
/// The promises it checks, by dialect:
/// - v1: from `hello` on every seq follows the one before, over reconnects too, unless `behind` or `resumed` names what
///   is left out.
/// - classic: on one socket the messages come in order and none is left out; seqs between them are of other events.
package struct Checker: Codable, Sendable {
    /// Seqs that a classic socket was not sent, which is right if they are no messages.
    struct Hole: Codable, Hashable, Sendable {
        let seat: Int32
        let epoch: Int32
        let seqs: ClosedRange<Int64>
    }

    /// What a server has said about a send.
    struct Ack: Codable, Hashable, Sendable {
        let mark: Mark
        let thread: Int32
        let epoch: Int32
        let seq: Int64
        let isStored: Bool
    }

    /// A send that no answer came to.
    struct Unheard: Codable, Hashable, Sendable {
        let mark: Mark
        let thread: Int32
    }

    /// What an event was for the socket that it came by.
    package enum Sighting: Hashable, Sendable {
        case next, repeated
    }

    package static let maximumHoles = 100_000

    package private(set) var seats: [Seat]
    private(set) var sightings: [ThreadSightings]
    private(set) var holes: [Hole] = []
    private(set) var acks: [Ack] = []
    /// Classic sends that nobody has heard of again when their socket broke: there once, or not.
    private(set) var uncertain: Set<UInt64> = []
    /// Classic sends of sockets that did not break, never seen again.
    private(set) var unheard: [Unheard] = []
    package private(set) var violations = Violations()
    /// See `LoadPlan.mayRollBack`.
    let mayRollBack: Bool

    package init(threads: Int, seats: [Seat], mayRollBack: Bool = false) {
        self.seats = seats
        self.mayRollBack = mayRollBack
        sightings = [ThreadSightings](repeating: ThreadSightings(), count: threads)
    }

    // MARK: Sockets

    /// Everything above `seq` is to come: what `hello` says as long as the bot has no place of its own.
    /// - Parameter epoch: empty for a thread without events.
    package mutating func opened(_ seat: Int, epoch: UnsafeRawBufferPointer, seq: Int64) {
        seats[seat].last = seq
        seats[seat].awaitsEpoch = seq == 0
        seats[seat].epoch = seq == 0 ? -1 : sightings[Int(seats[seat].thread)].index(of: epoch)
    }

    /// Hello has more threads than it names: what comes first says where this one stands.
    package mutating func openedSomewhere(_ seat: Int) {
        (seats[seat].epoch, seats[seat].last, seats[seat].awaitsEpoch) = (-1, -1, true)
    }

    /// A classic socket has opened.
    /// - Parameter isFromStart: nobody has sent anything yet.
    package mutating func openedClassic(_ seat: Int, isFromStart: Bool) {
        seats[seat].epoch = -1
        seats[seat].last = 0
        seats[seat].isFromStart = isFromStart
    }

    /// A log event has come by the seat's socket, live or replayed.
    package mutating func saw(
        _ seat: Int, epoch: UnsafeRawBufferPointer, seq: Int64, _ mark: Mark
    ) -> Sighting {
        let thread = Int(seats[seat].thread)
        let index: Int32
        if seats[seat].epoch >= 0, sightings[thread].matches(epoch, seats[seat].epoch) {
            index = seats[seat].epoch
        } else {
            index = sightings[thread].index(of: epoch)
            changeEpoch(seat, to: index, seq)
        }
        let last = seats[seat].last
        record(mark, thread, index, seq, bot: seats[seat].bot)
        if seq == last + 1 {
            seats[seat].last = seq
            return .next
        }
        guard seq > last else {
            fault(.doubled, seat, seq, "came again or late; the socket was at seq \(last)")
            return .repeated
        }
        missed(seat, last + 1...seq - 1)
        seats[seat].last = seq
        return .next
    }

    private mutating func changeEpoch(_ seat: Int, to epoch: Int32, _ seq: Int64) {
        let old = seats[seat]
        seats[seat].epoch = epoch
        seats[seat].awaitsEpoch = false
        if old.epoch < 0 {
            // Above what hello said, or, on a classic socket, from here on.
            if old.isClassic, !old.isFromStart { seats[seat].last = seq - 1 }
            if old.awaitsEpoch, old.last < 0 { seats[seat].last = seq - 1 }
            return
        }
        if old.isClassic, mayRollBack || seq > old.last {
            if mayRollBack { seats[seat].last = seq - 1 }
            return
        }
        fault(.rolledBack, seat, seq, "the epoch changed without a word")
        seats[seat].last = seq - 1
    }

    private mutating func missed(_ seat: Int, _ seqs: ClosedRange<Int64>) {
        if seats[seat].isClassic {
            if holes.count < Self.maximumHoles {
                holes.append(Hole(seat: Int32(seat), epoch: seats[seat].epoch, seqs: seqs))
            } else {
                fault(.gap, seat, seqs.lowerBound, "too many holes to judge them all")
            }
        } else {
            fault(.gap, seat, seqs.lowerBound, "the socket was not sent \(seqs.lowerBound) to \(seqs.upperBound)")
        }
    }

    private mutating func record(_ mark: Mark, _ thread: Int, _ epoch: Int32, _ seq: Int64, bot: Int32) {
        switch sightings[thread].record(mark, epoch: epoch, seq: seq) {
        case .new, .known: break
        case .differs(let other):
            violations.add(
                Violation(
                    .seqReused, thread: thread, seq: seq, bot: Int(bot),
                    "is \(mark), and was \(other) for another socket"))
        case .tooFar:
            violations.add(
                Violation(.seqReused, thread: thread, seq: seq, bot: Int(bot), "is too far from all other seqs"))
        }
    }

    private mutating func fault(_ kind: Violation.Kind, _ seat: Int, _ seq: Int64?, _ detail: String) {
        let (thread, bot) = (Int(seats[seat].thread), Int(seats[seat].bot))
        violations.add(Violation(kind, thread: thread, seq: seq, bot: bot, detail))
    }

    /// The bot's socket is gone; it has opened before.
    package mutating func closed(_ seat: Int) {
        if seats[seat].isClassic { openedClassic(seat, isFromStart: false) }
    }

    // MARK: What is left out

    /// The server names events that it does not send: `behind`, or `resumed` with `page`.
    /// - Returns: what the bot has not seen of them, to be fetched; `nil` if it has all.
    package mutating func leftOut(_ seat: Int, _ seqs: ClosedRange<Int64>) -> ClosedRange<Int64>? {
        let last = seats[seat].last
        if seqs.lowerBound > last + 1 {
            fault(.gap, seat, last + 1, "was neither sent nor named as left out, up to \(seqs.lowerBound - 1)")
        }
        guard seqs.upperBound > last else { return nil }
        seats[seat].last = seqs.upperBound
        return max(last + 1, seqs.lowerBound)...seqs.upperBound
    }

    /// The replay has ended; it was to reach `seq`.
    package mutating func replayed(_ seat: Int, through seq: Int64) {
        guard seats[seat].last != seq else { return }
        fault(.gap, seat, seats[seat].last + 1, "the replay was to reach seq \(seq)")
        seats[seat].last = max(seq, seats[seat].last)
    }

    /// The numbering has started over; the next event may have any seq.
    package mutating func rolledBack(_ seat: Int, from seq: Int64) {
        if !mayRollBack { fault(.rolledBack, seat, seq, "the server says that the log has started over") }
        seats[seat].epoch = -1
        seats[seat].awaitsEpoch = true
        seats[seat].last = -1
    }

    /// An event of a page that the bot has fetched.
    package mutating func fetched(_ seat: Int, epoch: UnsafeRawBufferPointer, seq: Int64, _ mark: Mark) {
        let thread = Int(seats[seat].thread)
        record(mark, thread, sightings[thread].index(of: epoch), seq, bot: seats[seat].bot)
    }

    /// A page does not go on where the one before ended, or lacks events of its range.
    package mutating func pageLacks(_ seat: Int, _ seq: Int64) {
        fault(.gap, seat, seq, "a page of the history lacks it")
    }

    /// The load is over, and what was left out from this seq on has not been fetched.
    /// - Parameter asked: for how long the page with it has been asked for, in microseconds; `nil` if it has not been.
    package mutating func unfetched(_ seat: Int, _ seq: Int64, asked: Int64?) {
        let why = asked.map { "was asked for \($0 / 1000) ms ago and has not come" } ?? "was not asked for yet"
        fault(.gap, seat, seq, "the page of the history with it \(why)")
    }

    /// The server does not let the bot into its thread.
    package mutating func isOut(_ seat: Int, _ why: String) {
        fault(.absent, seat, nil, why)
    }

    /// By thread, the highest seq that was seen or acknowledged in its newest epoch; 0 if none was.
    package var heads: [Int64] {
        var heads = sightings.map { thread in
            thread.epochs.last.map { $0.first + Int64($0.marks.count) - 1 } ?? 0
        }
        for ack in acks where Int(ack.epoch) == sightings[Int(ack.thread)].epochs.count - 1 {
            heads[Int(ack.thread)] = max(heads[Int(ack.thread)], ack.seq)
        }
        return heads
    }

    /// How many places of v1 bots are not up to these seqs yet, by thread.
    package func lagging(behind seqs: [Int64]) -> Int {
        seats.count { !$0.isClassic && $0.epoch >= 0 && $0.last < seqs[Int($0.thread)] }
    }

    /// The position to resume from; `nil` if there is none, so that everything comes live.
    package func position(_ seat: Int) -> Position? {
        let seat = seats[seat]
        guard seat.epoch >= 0, !seat.isClassic else {
            return seat.awaitsEpoch && seat.last == 0 ? Position(epoch: Epoch(""), seq: 0) : nil
        }
        let epoch = sightings[Int(seat.thread)].epochs[Int(seat.epoch)].epoch
        return Position(epoch: Epoch(String(decoding: epoch, as: UTF8.self)), seq: seat.last)
    }

    // MARK: Sends

    /// A send is in the log, says an ack or, on a classic socket, its echo.
    package mutating func acked(
        _ mark: Mark, thread: Int, epoch: UnsafeRawBufferPointer, seq: Int64, isStored: Bool
    ) {
        let index = sightings[thread].index(of: epoch)
        acks.append(Ack(mark: mark, thread: Int32(thread), epoch: index, seq: seq, isStored: isStored))
    }

    /// Sends of this seat may stand in another order than they were first sent.
    package mutating func mayReorder(_ seat: Int) {
        seats[seat].mayReorder = true
    }

    /// A classic socket broke before the echo of this send came.
    package mutating func broke(_ mark: Mark) {
        uncertain.insert(mark.raw)
    }

    /// The load is over, and this send of a living socket was never answered.
    /// - Parameter seat: where it was sent.
    package mutating func unanswered(_ mark: Mark, _ seat: Int) {
        if seats[seat].isClassic {
            unheard.append(Unheard(mark: mark, thread: seats[seat].thread))
        } else {
            fault(.unanswered, seat, nil, "\(mark) was never acknowledged")
        }
    }

    /// The bot has no living socket at the end.
    package mutating func absent(_ bot: Int, _ why: String) {
        violations.add(Violation(.absent, bot: bot, why))
    }
}
