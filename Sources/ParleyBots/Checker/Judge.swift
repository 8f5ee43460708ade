/// Compares what the bots were told and saw with the histories of their threads.
package struct Judge {
    private let world: World
    private let index: HistoryIndex
    private var verdict = Verdict()
    /// Accepted sends that went with an old log.
    private var gone: Set<UInt64> = []

    /// - Parameters:
    ///   - checkers: one for each event loop.
    ///   - histories: by number of the thread, the whole log.
    ///   - unread: what REST says of some users.
    package static func verdict(
        _ world: World, checkers: [Checker], histories: [ThreadHistory], unread: [UnreadCount]
    ) -> Verdict {
        var found = Violations()
        for checker in checkers { found.add(checker.violations) }
        var judge = Judge(world: world, index: HistoryIndex(histories, &found))
        judge.verdict.violations = found
        judge.verdict.events = histories.reduce(0) { $0 + $1.events.count }
        let open = Set(
            checkers.flatMap { checker in
                checker.seats.filter(\.mayReorder).map { UInt64($0.bot) << 32 | UInt64($0.thread) }
            })
        judge.checkOrder(open)
        judge.checkHoles(checkers)
        for checker in checkers {
            judge.check(acks: checker)
            judge.check(sightings: checker)
            judge.check(seats: checker)
            for send in checker.unheard where judge.index.messages[send.mark.raw] == nil {
                judge.add(
                    .lost, Int(send.thread), nil, send.mark.bot,
                    "\(send.mark) was sent on a socket that lives, and is not stored")
            }
        }
        for checker in checkers {
            judge.verdict.sendsGone += checker.uncertain.count { judge.index.messages[$0] == nil }
        }
        for count in unread { judge.check(count) }
        return judge.verdict
    }

    private init(world: World, index: HistoryIndex) {
        self.world = world
        self.index = index
    }

    private mutating func add(_ kind: Violation.Kind, _ thread: Int, _ seq: Int64?, _ bot: Int?, _ detail: String) {
        verdict.violations.add(Violation(kind, thread: thread, seq: seq, bot: bot, detail))
    }

    // MARK: Sends

    /// A sender's messages stand in the order of their sending.
    private mutating func checkOrder(_ open: Set<UInt64>) {
        for thread in world.members.indices {
            var last: [Int: Int64] = [:]
            for event in index.events(thread) where event.mark.isOurs {
                let bot = event.mark.bot
                if let before = last[bot], before > event.mark.number,
                    !open.contains(UInt64(bot) << 32 | UInt64(thread))
                {
                    add(.reordered, thread, event.seq, bot, "\(event.mark) stands behind message \(before)")
                }
                last[bot] = event.mark.number
            }
        }
    }

    /// Inside of one epoch nothing is missing, but what was sent again after a roll-back while the store was just
    /// writing the first copy: the store keeps that one, and the place of the second stays empty.
    private mutating func checkHoles(_ checkers: [Checker]) {
        for hole in index.holes {
            var missing = Set(hole.seqs)
            for checker in checkers where checker.mayRollBack {
                for epoch in checker.sightings[hole.thread].epochs {
                    missing = missing.filter { seq in
                        guard let raw = epoch.raw(seq) else { return true }
                        return !isStoredBefore(Mark(raw: raw), epoch.epoch, hole.thread)
                    }
                }
            }
            guard let first = missing.min(), let last = missing.max() else { continue }
            let bot = hole.mark.isOurs ? hole.mark.bot : nil
            add(.gap, hole.thread, hole.seqs.upperBound + 1, bot, "the history lacks \(first) to \(last)")
        }
    }

    /// Whether the thread has this message in another epoch than the one in which it was seen or acknowledged.
    private func isStoredBefore(_ mark: Mark, _ epoch: [UInt8], _ thread: Int) -> Bool {
        guard let place = index.messages[mark.raw], place.thread == thread,
            let event = index.event(thread, place.seq)
        else { return false }
        return !epoch.elementsEqual(event.epoch.utf8)
    }

    private mutating func check(acks checker: Checker) {
        for ack in checker.acks {
            verdict.acks += 1
            let thread = Int(ack.thread)
            if index.event(thread, ack.seq)?.mark == ack.mark { continue }
            let epoch = checker.sightings[thread].epochs[Int(ack.epoch)].epoch
            let hasRolledBack = checker.mayRollBack && !isCurrent(epoch, thread)
            guard let place = index.messages[ack.mark.raw] else {
                if hasRolledBack, !ack.isStored {
                    if gone.insert(ack.mark.raw).inserted { verdict.rolledBackAcks += 1 }
                } else {
                    let what = ack.isStored ? "stored" : "accepted"
                    add(.lost, thread, ack.seq, ack.mark.bot, "\(ack.mark) was \(what), and is not in the history")
                }
                continue
            }
            if checker.mayRollBack, isStoredBefore(ack.mark, epoch, thread) { continue }
            if !hasRolledBack || place.thread != thread {
                let place = place.thread == thread ? "seq \(place.seq)" : "thread \(place.thread)"
                add(.seqReused, thread, ack.seq, ack.mark.bot, "\(ack.mark) was said to be there, and is at \(place)")
            }
        }
    }

    /// Whether the thread's history ends in this epoch.
    private func isCurrent(_ epoch: [UInt8], _ thread: Int) -> Bool {
        guard let last = index.events(thread).last else { return true }
        return epoch.elementsEqual(last.epoch.utf8)
    }

    // MARK: Sockets

    private mutating func check(sightings checker: Checker) {
        for (thread, sightings) in checker.sightings.enumerated() {
            for epoch in sightings.epochs {
                let mayBeVoid = checker.mayRollBack && !isCurrent(epoch.epoch, thread)
                for (offset, raw) in epoch.marks.enumerated() where raw != 0 {
                    let (seq, mark) = (epoch.first + Int64(offset), Mark(raw: raw))
                    let bot = mark.isOurs ? mark.bot : nil
                    guard let event = index.event(thread, seq) else {
                        let isElsewhere = checker.mayRollBack && isStoredBefore(mark, epoch.epoch, thread)
                        if !mayBeVoid, !isElsewhere {
                            add(.lost, thread, seq, bot, "\(mark) was seen, and is not in the history")
                        }
                        continue
                    }
                    if event.mark == mark, epoch.epoch.elementsEqual(event.epoch.utf8) { continue }
                    if mayBeVoid { continue }
                    add(.seqReused, thread, seq, bot, "\(mark) was seen there; the history has \(event.mark)")
                }
            }
        }
    }

    private mutating func check(seats checker: Checker) {
        for hole in checker.holes {
            let seat = checker.seats[Int(hole.seat)]
            let thread = Int(seat.thread)
            // What lies behind the end of the history is no message.
            guard hole.seqs.lowerBound <= index.head(thread) else { continue }
            let seqs = hole.seqs.lowerBound...min(hole.seqs.upperBound, index.head(thread))
            guard let missed = seqs.first(where: { index.event(thread, $0)?.isMessage == true }) else { continue }
            if checker.mayRollBack, !isCurrent(checker.sightings[thread].epochs[Int(hole.epoch)].epoch, thread) {
                continue
            }
            add(.gap, thread, missed, Int(seat.bot), "the socket was not sent it")
        }
        for seat in checker.seats {
            verdict.seats += 1
            let thread = Int(seat.thread)
            if seat.isClassic {
                let last = index.lastMessage(thread)
                // Who came late and saw nothing since is right if nothing came since.
                guard seat.epoch >= 0 || seat.isFromStart, seat.last < last else { continue }
                let missed = index.events(thread).first { $0.isMessage && $0.seq > seat.last }
                add(
                    .gap, thread, missed?.seq, Int(seat.bot),
                    "the socket was not sent it, nor what followed, to \(last)")
            } else if seat.last < index.head(thread), seat.epoch >= 0 || seat.last >= 0 {
                add(
                    .gap, thread, seat.last + 1, Int(seat.bot),
                    "the socket was not sent it, nor what followed, to \(index.head(thread))")
            }
        }
    }

    // MARK: Reading

    private mutating func check(_ count: UnreadCount) {
        verdict.unreadCounts += 1
        let expected = index.unread(count.thread, above: count.readSeq)
        if count.unread != expected {
            add(
                .unread, count.thread, count.readSeq, count.bot,
                "\(count.unread) unread behind this cursor; the history has \(expected)")
        }
        let own = index.events(count.thread).last { $0.mark.isOurs && $0.mark.bot == count.bot }?.seq
        // A cursor that was never moved is where the membership began, before all messages.
        var allowed = count.moves
        if let own { allowed.insert(own) }
        let first = index.events(count.thread).first { $0.isMessage }?.seq ?? .max
        let mayBeUnmoved = allowed.isEmpty || (own == nil && count.mayBeUnmoved)
        if allowed.contains(count.readSeq) || (mayBeUnmoved && count.readSeq < first) { return }
        add(
            .unread, count.thread, count.readSeq, count.bot,
            "the cursor is there; expected is \(allowed.isEmpty ? "before \(first)" : "one of \(allowed.sorted())")")
    }
}
