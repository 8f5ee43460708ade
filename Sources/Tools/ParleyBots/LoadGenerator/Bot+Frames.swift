import ParleyClientCore
import ParleyModel
import ParleyWire

/// Handling of the server's frames.
extension Bot {
    func received(bytes count: Int, _ now: Int64) {
        botGroup.figures.receivedBytes += count
        lastReceived = now
    }

    /// Handles one whole text message.
    /// - Parameter now: when its bytes arrived, in monotonic microseconds.
    func received(_ text: UnsafeRawBufferPointer, _ now: Int64) {
        guard let scan = FrameScan(text) else { return fail("bad_frame") }
        switch scan.kind {
        case .message, .event: event(scan, text, now)
        case .ack: ack(scan, text, now)
        case .other: botGroup.figures.notices += 1
        case .error, .hello, .resumed, .page, .behind, .bye: receivedRare(ServerFrame(Array(text)))
        }
    }

    // MARK: Events

    private func event(_ scan: FrameScan, _ bytes: UnsafeRawBufferPointer, _ now: Int64) {
        guard let thread = scan.thread.flatMap({ botGroup.thread(bytes[rebasing: $0]) }),
            let place = place(of: thread)
        else { return fail("foreign_thread") }
        // Foreign events of Django have no seq and no delivery guarantee.
        guard let seq = scan.seq, let epoch = scan.epoch else { return botGroup.figures.notices += 1 }
        let tagged = scan.text.flatMap { MessageTagText(bytes[rebasing: $0]) }
        let tag = tagged?.tag ?? Self.foreignTag(scan, bytes)
        let sighting = botGroup.checker.received(firstMembership + place, epoch: bytes[rebasing: epoch], seq: seq, tag)
        guard sighting == .next else { return }
        if state == .live {
            botGroup.figures.delivered += 1
            // The latency of slow readers is not measured.
            if let tagged, !isSlow { botGroup.delivered(tagged, after: now - tagged.scheduled, node: node) }
        } else {
            botGroup.figures.replayed += 1
        }
        if isClassic, tag.isOurs, tag.bot == number, let index = unanswered.index(of: tag.number) {
            let entry = unanswered.remove(at: index)
            botGroup.checker.acked(tag, thread: thread, epoch: bytes[rebasing: epoch], seq: seq, isStored: false)
            botGroup.acked(entry, at: now)
        }
    }

    static func foreignTag(_ scan: FrameScan, _ bytes: UnsafeRawBufferPointer) -> MessageTag {
        // The id of a message; other events have no id and are tagged by kind only.
        let id = scan.kind == .message ? scan.id : nil
        return MessageTag(foreign: bytes[rebasing: scan.type], id: bytes[rebasing: id])
    }

    private func ack(_ scan: FrameScan, _ bytes: UnsafeRawBufferPointer, _ now: Int64) {
        guard let ref = scan.ref else { return }
        if ref > Ref.read, ref < Ref.history { return moved(ref) }
        guard let index = unanswered.index(of: ref) else { return }
        guard let thread = scan.thread.flatMap({ botGroup.thread(bytes[rebasing: $0]) }), let seq = scan.seq,
            let epoch = scan.epoch
        else { return fail("bad_ack") }
        let entry = unanswered[index]
        if scan.isStored || !entry.isAccepted {
            let tag = MessageTag(bot: number, number: entry.number)
            botGroup.checker.acked(
                tag, thread: thread, epoch: bytes[rebasing: epoch], seq: seq, isStored: scan.isStored)
        }
        if !entry.isAccepted {
            unanswered[index].isAccepted = true
            botGroup.acked(entry, at: now)
        }
        if scan.isStored { botGroup.stored(entry, at: now) }
        if scan.isStored || !entry.wantsStored { unanswered.remove(at: index) }
    }

    // MARK: Rare frames

    private func receivedRare(_ frame: ServerFrame) {
        switch frame {
        case .hello(let hello): greeted(hello)
        case .resumed(let threads, let ref): resumed(threads, ref: ref)
        case .behind(let ranges):
            botGroup.figures.behind += 1
            for (thread, seqs) in ranges { leftOut(thread, seqs) }
        case .page(let page): take(page)
        case .error(let refusal): refused(refusal)
        case .bye(let delay, let ticket): drains(after: delay, ticket: ticket)
        default: fail("bad_frame")
        }
    }

    private func greeted(_ hello: ServerFrame.Hello) {
        node = NodeName.number(hello.node)
        connection.greeted(
            ticket: hello.ticket, pingInterval: hello.pingInterval, at: .microseconds(MonotonicClock.now()))
        var positions: [(thread: String, epoch: String, seq: Int)] = []
        var named = 0
        for thread in hello.threads {
            guard let number = botGroup.thread(thread.id), let place = place(of: number) else { continue }
            let membership = firstMembership + place
            named += 1
            if hasBeenLive { continue }
            if thread.isUnavailable {
                botGroup.checker.openedSomewhere(membership)
                continue
            }
            var epoch = thread.seq > 0 ? thread.epoch : ""
            epoch.withUTF8 {
                botGroup.checker.opened(membership, epoch: UnsafeRawBufferPointer($0), seq: Int64(thread.seq))
            }
        }
        if named < threads.count, !hasBeenLive { missing(in: hello) }
        if hasBeenLive {
            for place in threads.indices {
                guard let position = botGroup.checker.position(firstMembership + place) else { continue }
                positions.append((threadID(place), position.epoch.text, Int(position.seq)))
                botGroup.checker.resumes(firstMembership + place, true)
            }
        }
        if let socket { write(.resume(positions), ref: Ref.resume, to: socket) }
    }

    private func threadID(_ place: Int) -> String { botGroup.population.threadIDs[Int(threads[place])].text }

    /// Handles threads of this bot that its first hello does not list.
    private func missing(in hello: ServerFrame.Hello) {
        let named = Set(hello.threads.map(\.id))
        for place in threads.indices where !named.contains(threadID(place)) {
            if hello.hasMore {
                botGroup.checker.openedSomewhere(firstMembership + place)
            } else {
                botGroup.checker.rejected(firstMembership + place, "hello does not list the thread")
            }
        }
    }

    private func resumed(_ threads: [String: ServerFrame.ResumeResult], ref: Int64?) {
        for (thread, resumption) in threads {
            guard let place = botGroup.thread(thread).flatMap({ place(of: $0) }) else { continue }
            let membership = firstMembership + place
            if ref == Ref.resume { botGroup.checker.resumes(membership, false) }
            switch (resumption.state, resumption.from, resumption.to) {
            case (.live, _, _): continueNumbering(membership, resumption)
            case (.unavailable, _, _): break
            // The first event shows the position.
            case (.page, _, _) where botGroup.checker.position(membership) == nil: break
            case (.replayed, _, let to?):
                botGroup.checker.replayed(membership, through: Int64(to))
                continueNumbering(membership, resumption)
            case (.page, let from?, let to?) where from <= to:
                leftOut(thread, from...to)
                continueNumbering(membership, resumption)
            case (.rolledBack, let from?, _):
                botGroup.checker.rolledBack(membership, from: Int64(from))
                fail("rolled_back")
                fetches.removeAll { $0.membership == place }
                fetches.append(Fetch(membership: place, after: Int64(max(0, from - 1)), through: nil))
                sendAgain(place)
            case (.gone, _, _), (.denied, _, _):
                botGroup.checker.rejected(membership, "resume returned \(resumption.state.rawValue)")
            default: fail("bad_frame")
            }
        }
        if ref == Ref.resume { becameLive() } else { fetchNext() }
    }

    /// A new numbering may continue what the bot has received.
    private func continueNumbering(_ membership: Int, _ resumption: ServerFrame.ResumeResult) {
        var epoch = resumption.epoch
        if epoch.isEmpty { return }
        epoch.withUTF8 { botGroup.checker.continued(membership, epoch: UnsafeRawBufferPointer($0)) }
    }

    /// Repeats sends that were accepted and not stored, since the log has lost them.
    private func sendAgain(_ place: Int) {
        for index in unanswered.entries.indices
        where unanswered[index].membership == place && unanswered[index].wasWritten {
            unanswered[index].isAccepted = false
            botGroup.checker.mayReorder(firstMembership + place)
            if state == .live { write(index) }
        }
    }

    private func leftOut(_ thread: String, _ seqs: ClosedRange<Int>) {
        guard let place = botGroup.thread(thread).flatMap({ place(of: $0) }),
            let missing = botGroup.checker.leftOut(
                firstMembership + place, Int64(seqs.lowerBound)...Int64(seqs.upperBound))
        else { return }
        fetches.append(Fetch(membership: place, after: missing.lowerBound - 1, through: missing.upperBound))
        fetchNext()
    }

    private func refused(_ refusal: ServerFrame.Refusal) {
        fail(refusal.code.rawValue)
        guard let ref = refusal.ref else { return }
        let pause = ReconnectPolicy.pause(asked: refusal.retryAfter, using: &botGroup.random).microseconds
        if ref >= Ref.history, ref < Ref.resume {
            fetchRef = nil
            botGroup.after(microseconds: pause) { [self] in fetchNext() }
            return
        }
        // The server gave up on the resume: the next socket catches up with events since then.
        if ref == Ref.resume { return reconnect() }
        guard ref < Ref.read, let index = unanswered.index(of: ref) else { return }
        guard refusal.isRetryable else {
            unanswered.remove(at: index)
            return
        }
        unanswered[index].waits = true
        botGroup.checker.mayReorder(firstMembership + unanswered[index].membership)
        botGroup.after(microseconds: pause) { [self] in
            guard let index = unanswered.index(of: ref) else { return }
            unanswered[index].waits = false
            if state == .live { write(index) }
        }
    }

    // MARK: History

    func fetchNext() {
        guard fetchRef == nil, state == .live, let socket, let fetch = fetches.first else { return }
        refs += 1
        fetchRef = Ref.history + refs
        fetchedAt = MonotonicClock.now()
        let request = V1ClientCommand.history(
            thread: threadID(fetch.membership), before: fetch.through.map { Int($0) + 1 }, after: Int(fetch.after),
            limit: Int(V1Limits.historyEvents))
        write(request, ref: fetchRef, to: socket)
    }

    /// The load is over: reports skipped events that have not been fetched.
    func noteUnfetched() {
        for (index, fetch) in fetches.enumerated() {
            let requested = index == 0 && fetchRef != nil ? MonotonicClock.now() - fetchedAt : nil
            botGroup.checker.unfetched(firstMembership + fetch.membership, fetch.after + 1, requested: requested)
        }
    }

    private func take(_ page: ServerFrame.Page) {
        guard let fetchRef, page.ref == fetchRef, var fetch = fetches.first else { return fail("bad_frame") }
        self.fetchRef = nil
        for event in page.events {
            let seq = Int64(event.seq)
            if seq != fetch.after + 1, fetch.through != nil || seq <= fetch.after {
                botGroup.checker.pageLacks(firstMembership + fetch.membership, fetch.after + 1)
            }
            var epoch = event.epoch
            let tag = Self.tag(of: event)
            epoch.withUTF8 {
                botGroup.checker.fetched(
                    firstMembership + fetch.membership, epoch: UnsafeRawBufferPointer($0), seq: seq, tag)
            }
            fetch.after = seq
            botGroup.figures.fetched += 1
        }
        let isDone = fetch.through.map { fetch.after >= $0 } ?? !page.hasMoreAfter
        if isDone {
            fetches.removeFirst()
        } else if page.events.isEmpty {
            botGroup.checker.pageLacks(firstMembership + fetch.membership, fetch.after + 1)
            fetches.removeFirst()
        } else {
            fetches[0] = fetch
        }
        fetchNext()
    }

    /// The same tag as for a frame of the event.
    private static func tag(of event: ThreadEvent) -> MessageTag {
        guard case .message(let message) = event.content else {
            return MessageTag(foreign: event.type.utf8, id: "".utf8)
        }
        var text = message.text
        return text.withUTF8 { MessageTagText(UnsafeRawBufferPointer($0)) }?.tag
            ?? MessageTag(foreign: event.type.utf8, id: message.id.utf8)
    }

    // MARK: Other commands

    /// Sends a typing indicator.
    func type(place: Int) {
        guard state == .live, !isClassic, let socket else { return }
        write(.typing(thread: threadID(place), isOn: true), to: socket)
        botGroup.figures.typings += 1
    }

    /// Moves the bot's read cursor to the last event it has seen.
    func read(place: Int) {
        guard state == .live, !isClassic, let socket else { return }
        let membership = botGroup.checker.memberships[firstMembership + place]
        guard membership.last > 0, membership.epoch >= 0 else { return }
        refs += 1
        moves.append(Move(ref: Ref.read + refs, membership: place, seq: membership.last))
        if moves.count > Self.maximumMoves { moves.removeFirst() }
        write(.read(thread: threadID(place), seq: Int(membership.last)), ref: Ref.read + refs, to: socket)
        botGroup.figures.reads += 1
    }

    /// The cursor move was acknowledged, which supersedes earlier moves, unless the cluster may lose what it has not stored:
    /// a move is acknowledged before.
    private func moved(_ ref: Int64) {
        guard !botGroup.checker.mayRollBack, let index = moves.firstIndex(where: { $0.ref == ref }) else { return }
        moves[index].isKept = true
        let move = moves[index]
        moves.removeAll { $0.membership == move.membership && $0.ref < ref }
    }
}

extension UnsafeRawBufferPointer {
    /// A subrange; empty if `range` is `nil`.
    subscript(rebasing range: Range<Int>?) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range ?? 0..<0])
    }
}

/// A number derived from the name of a node; never 0, which means unknown.
enum NodeName {
    static func number(_ name: String) -> UInt32 {
        var hash: UInt32 = 0x811C_9DC5
        for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 0x100_0193 }
        return max(1, hash)
    }
}
