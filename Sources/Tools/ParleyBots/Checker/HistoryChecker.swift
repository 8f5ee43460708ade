/// Compares what the bots were sent with the histories of their threads.
package struct HistoryChecker {
    private let population: Population
    private let index: HistoryIndex
    private var verdict = Verdict()
    /// Accepted sends that were lost with a former log.
    private var gone: Set<UInt64> = []

    /// - Parameters:
    ///   - checkers: one for each event loop.
    ///   - histories: the whole log of each thread, by thread number.
    ///   - unread: the unread counts of some users from REST.
    package static func verdict(
        _ population: Population, checkers: [Checker], histories: [ThreadHistory], unread: [UnreadCount]
    ) -> Verdict {
        var found = Violations()
        for checker in checkers { found.add(checker.violations) }
        var historyChecker = HistoryChecker(population: population, index: HistoryIndex(histories, &found))
        historyChecker.verdict.violations = found
        historyChecker.verdict.events = histories.reduce(0) { $0 + $1.events.count }
        let open = Set(
            checkers.flatMap { checker in
                checker.memberships.filter(\.mayReorder).map { UInt64($0.bot) << 32 | UInt64($0.thread) }
            })
        historyChecker.checkOrder(open)
        historyChecker.checkGaps(checkers)
        for checker in checkers {
            historyChecker.check(acks: checker)
            historyChecker.check(sightings: checker)
            historyChecker.check(memberships: checker)
            for send in checker.sendsWithoutEcho where historyChecker.index.messages[send.tag.raw] == nil {
                historyChecker.add(
                    .lost, Int(send.thread), nil, send.tag.bot,
                    "\(send.tag) was sent on a socket that is still open, but is not stored")
            }
        }
        for checker in checkers {
            historyChecker.verdict.sendsGone += checker.uncertain.count { historyChecker.index.messages[$0] == nil }
        }
        for count in unread { historyChecker.check(count) }
        return historyChecker.verdict
    }

    private init(population: Population, index: HistoryIndex) {
        self.population = population
        self.index = index
    }

    private mutating func add(
        _ kind: GuaranteeViolation.Kind, _ thread: Int, _ seq: Int64?, _ bot: Int?, _ detail: String
    ) {
        verdict.violations.add(GuaranteeViolation(kind, thread: thread, seq: seq, bot: bot, detail))
    }

    // MARK: Sends

    /// Checks that a sender's messages are stored in the order of sending.
    private mutating func checkOrder(_ open: Set<UInt64>) {
        for thread in population.members.indices {
            var last: [Int: Int64] = [:]
            for event in index.events(thread) where event.tag.isOurs {
                let bot = event.tag.bot
                if let before = last[bot], before > event.tag.number,
                    !open.contains(UInt64(bot) << 32 | UInt64(thread))
                {
                    add(.reordered, thread, event.seq, bot, "\(event.tag) follows message \(before)")
                }
                last[bot] = event.tag.number
            }
        }
    }

    /// Checks that nothing is missing within an epoch. The exception is a message sent again after a roll-back while
    /// the store was writing the first copy: the store keeps that copy, and the seq of the second stays empty.
    private mutating func checkGaps(_ checkers: [Checker]) {
        for gap in index.gaps {
            var missing = Set(gap.seqs)
            for checker in checkers where checker.mayRollBack {
                for epoch in checker.sightings[gap.thread].epochs {
                    missing = missing.filter { seq in
                        guard let raw = epoch.raw(seq) else { return true }
                        return !isStoredBefore(MessageTag(raw: raw), epoch.epoch, gap.thread)
                    }
                }
            }
            guard let first = missing.min(), let last = missing.max() else { continue }
            let bot = gap.tag.isOurs ? gap.tag.bot : nil
            add(.gap, gap.thread, gap.seqs.upperBound + 1, bot, "the history is missing \(first) to \(last)")
        }
    }

    /// Whether the thread has this message in another epoch than the one in which it was seen or acknowledged.
    private func isStoredBefore(_ tag: MessageTag, _ epoch: [UInt8], _ thread: Int) -> Bool {
        guard let place = index.messages[tag.raw], place.thread == thread,
            let event = index.event(thread, place.seq)
        else { return false }
        return !epoch.elementsEqual(event.epoch.utf8)
    }

    private mutating func check(acks checker: Checker) {
        for ack in checker.acks {
            verdict.acks += 1
            let thread = Int(ack.thread)
            if index.event(thread, ack.seq)?.tag == ack.tag { continue }
            let epoch = checker.sightings[thread].epochs[Int(ack.epoch)].epoch
            let hasRolledBack = checker.mayRollBack && !isCurrent(epoch, thread)
            guard let place = index.messages[ack.tag.raw] else {
                if hasRolledBack, !ack.isStored {
                    if gone.insert(ack.tag.raw).inserted { verdict.rolledBackAcks += 1 }
                } else {
                    let what = ack.isStored ? "stored" : "accepted"
                    add(.lost, thread, ack.seq, ack.tag.bot, "\(ack.tag) was \(what), but is not in the history")
                }
                continue
            }
            if checker.mayRollBack, isStoredBefore(ack.tag, epoch, thread) { continue }
            if !hasRolledBack || place.thread != thread {
                let place = place.thread == thread ? "seq \(place.seq)" : "thread \(place.thread)"
                add(
                    .seqReused, thread, ack.seq, ack.tag.bot,
                    "\(ack.tag) was acknowledged at this seq, but is at \(place)")
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
                for (offset, raw) in epoch.tags.enumerated() where raw != 0 {
                    let (seq, tag) = (epoch.first + Int64(offset), MessageTag(raw: raw))
                    let bot = tag.isOurs ? tag.bot : nil
                    guard let event = index.event(thread, seq) else {
                        let isElsewhere = checker.mayRollBack && isStoredBefore(tag, epoch.epoch, thread)
                        if !mayBeVoid, !isElsewhere {
                            add(.lost, thread, seq, bot, "\(tag) was received, but is not in the history")
                        }
                        continue
                    }
                    if event.tag == tag, epoch.epoch.elementsEqual(event.epoch.utf8) { continue }
                    if mayBeVoid { continue }
                    add(.seqReused, thread, seq, bot, "\(tag) was received at this seq; the history has \(event.tag)")
                }
            }
        }
    }

    private mutating func check(memberships checker: Checker) {
        for gap in checker.gaps {
            let membership = checker.memberships[Int(gap.membership)]
            let thread = Int(membership.thread)
            // Beyond the end of the history there are no messages.
            guard gap.seqs.lowerBound <= index.head(thread) else { continue }
            let seqs = gap.seqs.lowerBound...min(gap.seqs.upperBound, index.head(thread))
            guard let missed = seqs.first(where: { index.event(thread, $0)?.isMessage == true }) else { continue }
            if checker.mayRollBack, !isCurrent(checker.sightings[thread].epochs[Int(gap.epoch)].epoch, thread) {
                continue
            }
            add(.gap, thread, missed, Int(membership.bot), "the socket did not receive it")
        }
        for membership in checker.memberships {
            verdict.memberships += 1
            let thread = Int(membership.thread)
            if membership.isClassic {
                let last = index.lastMessage(thread)
                // A bot that joined late and saw nothing is right if nothing came since.
                guard membership.epoch >= 0 || membership.isFromStart, membership.last < last else { continue }
                let missed = index.events(thread).first { $0.isMessage && $0.seq > membership.last }
                add(
                    .gap, thread, missed?.seq, Int(membership.bot),
                    "the socket did not receive it or any later event, up to \(last)")
            } else if membership.last < index.head(thread), membership.epoch >= 0 || membership.last >= 0 {
                add(
                    .gap, thread, membership.last + 1, Int(membership.bot),
                    "the socket did not receive it or any later event, up to \(index.head(thread))")
            }
        }
    }

    // MARK: Read cursors

    private mutating func check(_ count: UnreadCount) {
        verdict.unreadCounts += 1
        let expected = index.unread(count.thread, above: count.readSeq)
        if count.unread != expected {
            add(
                .unread, count.thread, count.readSeq, count.bot,
                "\(count.unread) unread after this read cursor; expected \(expected)")
        }
        let own = index.events(count.thread).last { $0.tag.isOurs && $0.tag.bot == count.bot }?.seq
        // A cursor that was never moved is at the start of the membership, before all messages.
        var allowed = count.moves
        if let own { allowed.insert(own) }
        let first = index.events(count.thread).first { $0.isMessage }?.seq ?? .max
        let mayBeUnmoved = allowed.isEmpty || (own == nil && count.mayBeUnmoved)
        if allowed.contains(count.readSeq) || (mayBeUnmoved && count.readSeq < first) { return }
        add(
            .unread, count.thread, count.readSeq, count.bot,
            "the read cursor is here; expected \(allowed.isEmpty ? "before \(first)" : "one of \(allowed.sorted())")")
    }
}
