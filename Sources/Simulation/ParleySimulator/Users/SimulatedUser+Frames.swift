import ParleyClientCore

/// The handling of the server's frames, and their consequences for the user's threads.
extension SimulatedUser {
    // MARK: Frames

    func received(_ frame: ServerFrame) {
        if let ref = frame.answeredRef { machine.answered(ref) }
        switch frame {
        case .hello(let hello): greet(hello)
        case .ack(let ack): acknowledged(ack)
        case .error(let refusal): refused(refusal)
        case .page(let page): received(page)
        case .resumed(let results, let ref): resumed(results, ref)
        case .behind(let ranges):
            for (thread, range) in ranges.sorted(by: { $0.key < $1.key }) { leftOut(range, in: thread) }
        case .bye(let delay, let ticket): machine.bye(after: delay, ticket: ticket, at: now)
        case .event(let event): received(event)
        case .threadAdded(let fields): added(fields)
        case .threadRemoved(let thread): threads[thread] = nil
        case .mute(let thread, let mute): toldMutes[thread] = mute
        case .room(let thread, let fields):
            if fields.changes >= toldRights[thread]?.changes ?? 0 { toldRights[thread] = fields }
        case .read, .typing, .presence, .user, .entrances, .blocks, .pong: break
        case .unknown: observations.violation("\(name) got a frame that is not understood")
        }
    }

    /// The user has become a member, perhaps of a thread that they were in before.
    private func added(_ fields: ServerFrame.ThreadFields) {
        let id = fields.id
        (toldMutes[id], toldRights[id]) = (fields.mute, fields.room)
        if fields.isUnavailable {
            // Where the log ends is not known: all of it is loaded, and events may begin anywhere.
            threads[id] = KnownThread(epoch: "", seq: 0)
            threads[id]?.mayContinueFrom = 1
            threads[id]?.miss(1, through: nil)
            fetchMissing(of: id)
        } else if let known = threads[id], known.epoch == fields.epoch, known.seq <= fields.seq {
            threads[id]?.miss(known.seq + 1, through: fields.seq)
            threads[id]?.seq = fields.seq
            fetchMissing(of: id)
        } else {
            threads[id] = KnownThread(epoch: fields.epoch, seq: fields.seq)
        }
    }

    func greet(_ hello: ServerFrame.Hello) {
        story.remark(
            name,
            "hello of \(hello.node) on connection \(connection): "
                + hello.threads.map { fields in
                    let known = threads[fields.id].map { "\($0.epoch) \($0.seq)" } ?? "nothing"
                    return
                        "\(fields.id) at \(fields.isUnavailable ? "?" : "\(fields.epoch) \(fields.seq)"), has \(known)"
                }.joined(separator: "; "))
        self.hello = hello
        machine.greeted(ticket: hello.ticket, pingInterval: hello.pingInterval, at: now)
        greeted = [:]
        // The user has left the other threads while not connected.
        let known = Set(hello.threads.map(\.id))
        threads = threads.filter { known.contains($0.key) }
        resumedEpochs = threads.mapValues(\.epoch)
        var positions: [(thread: String, epoch: String, seq: Int)] = []
        for fields in hello.threads {
            (toldMutes[fields.id], toldRights[fields.id]) = (fields.mute, fields.room)
            if !fields.isUnavailable { greeted[fields.id] = fields.seq }
            if let known = threads[fields.id] {
                positions.append((fields.id, known.epoch, known.seq))
            } else if fields.isUnavailable {
                threads[fields.id] = KnownThread(epoch: "", seq: 0)
                positions.append((fields.id, "", 0))
            } else {
                // What was before the first connection is not fetched.
                threads[fields.id] = KnownThread(epoch: fields.epoch, seq: fields.seq)
            }
        }
        isResuming = true
        command(.resume(positions), for: .resume)
        for index in outbox.indices where !outbox[index].isAccepted || outbox[index].wantsStored { transmit(index) }
        for thread in threads.keys.sorted() { fetchMissing(of: thread) }
    }

    func received(_ event: ThreadEvent) {
        observations.saw(event, by: name)
        story.remark(name, "event \(event.thread) \(event.epoch) \(event.seq) \(event.key)")
        guard let known = threads[event.thread] else {
            return observations.violation("\(name) got an event of \(event.thread), which it is not in")
        }
        if let from = known.mayContinueFrom, event.seq >= from {
            // The first event after `rolled_back`; what is before it is loaded again.
        } else if event.seq == known.seq + 1 {
            if event.epoch != known.epoch, known.epoch != "", !isResuming {
                observations.violation(
                    "\(name) got \(event.thread) \(event.epoch) \(event.seq) after epoch \(known.epoch), not announced")
            }
        } else if isResuming, event.epoch != resumedEpochs[event.thread], event.seq > known.seq {
            // A new numbering may leave out what its predecessor gave to events that are lost. `history` shows whether there
            // is something.
            threads[event.thread]?.miss(known.seq + 1, through: event.seq - 1, isReplayed: true)
        } else if isResuming, let begin = greeted[event.thread], event.seq == begin + 1, event.seq > known.seq {
            // The resume was late: live events have begun, and the rest is missing.
            threads[event.thread]?.miss(known.seq + 1, through: begin)
        } else {
            observations.violation(
                "\(name), connection \(connection): \(event.thread) \(event.epoch) \(event.seq) came after \(known.seq)"
            )
        }
        threads[event.thread]?.mayContinueFrom = nil
        threads[event.thread]?.seq = event.seq
        threads[event.thread]?.epoch = event.epoch
        threads[event.thread]?.received(event)
    }

    func leftOut(_ range: ClosedRange<Int>, in thread: String) {
        guard let known = threads[thread] else { return }
        threads[thread]?.miss(range.lowerBound, through: range.upperBound)
        threads[thread]?.seq = max(known.seq, range.upperBound)
        fetchMissing(of: thread)
    }

    // MARK: Resume

    func resumed(_ results: [String: ServerFrame.ResumeResult], _ ref: Int64?) {
        if let ref {
            requests[ref] = nil
            isResuming = false
        }
        for (id, result) in results.sorted(by: { $0.key < $1.key }) {
            guard let known = threads[id] else { continue }
            story.remark(
                name,
                "\(id) \(result.state.rawValue) \(result.epoch) \(result.from ?? -1)...\(result.to ?? -1), at \(known.epoch) \(known.seq)"
            )
            threads[id]?.isUnavailable = result.state == .unavailable
            switch result.state {
            case .live: threads[id]?.epoch = result.epoch
            case .replayed:
                threads[id]?.epoch = result.epoch
                checkReplay(of: id, known, through: result.to ?? 0)
            case .page:
                let to = result.to ?? known.seq
                threads[id]?.epoch = result.epoch
                threads[id]?.seq = max(known.seq, to)
                threads[id]?.miss(result.from ?? known.seq + 1, through: to)
                fetchMissing(of: id)
            case .rolledBack: rollBack(result, of: id)
            case .gone, .denied: threads[id] = nil
            case .unavailable: break
            }
        }
        if ref != nil { for thread in threads.keys.sorted() { fetchMissing(of: thread) } }
    }

    /// A replay may end with places that do not exist: a new numbering leaves some out. `history` shows whether it has
    /// left out events.
    private func checkReplay(of id: String, _ known: KnownThread, through to: Int) {
        guard known.seq <= to else {
            return observations.violation("\(name) has \(id) up to \(known.seq), but `replayed` says \(to)")
        }
        threads[id]?.seq = to
        threads[id]?.miss(known.seq + 1, through: to, isReplayed: true)
        fetchMissing(of: id)
    }

    /// Events from some `seq` on may be void, and with them their changes to earlier messages. So everything is loaded
    /// again, up to the end of the log.
    func rollBack(_ result: ServerFrame.ResumeResult, of id: String) {
        guard let begin = threads[id]?.begin else { return }
        let from = result.from ?? 1
        threads[id]?.discard()
        threads[id]?.epoch = result.epoch
        // `to` may be a place of the former numbering that the new one has not reached.
        threads[id]?.seq = from - 1
        threads[id]?.mayContinueFrom = from
        threads[id]?.miss(begin + 1, through: nil)
        fetchMissing(of: id)
        repeatUnstored(in: id)
    }

    // MARK: History

    static let pageLength = 200

    func fetchMissing(of thread: String) {
        guard isConnected, let known = threads[thread], let range = known.missing.first, !isFetching(thread) else {
            return
        }
        command(
            .history(
                thread: thread, before: range.last.map { $0 + 1 }, after: range.first - 1,
                limit: Self.pageLength), for: .history(thread: thread, discards: known.discards))
    }

    func isFetching(_ thread: String) -> Bool {
        requests.values.contains { if case .history(thread, _) = $0 { true } else { false } }
    }

    func received(_ page: ServerFrame.Page) {
        guard let ref = page.ref, case .history(let thread, let discards)? = requests.removeValue(forKey: ref)
        else { return }
        story.remark(
            name,
            "page of \(thread), \(page.events.first?.seq ?? 0)...\(page.events.last?.seq ?? 0) \(page.epoch), head \(page.headSeq)"
        )
        for event in page.events { observations.saw(event, by: name) }
        let places = page.events.map(\.seq)
        if places != places.sorted() || Set(places).count != places.count {
            observations.violation("\(name) got a page of \(thread) out of order: \(places)")
        }
        // A page covers its range: what it leaves out does not exist. `FinalCheck` finds what is left out by mistake.
        if threads[thread]?.missing.first?.isReplayed == true, let event = page.events.first {
            observations.violation("\(name) was told that it was sent \(thread) \(event.seq), but has not got it")
        }
        guard threads[thread]?.fetched(page, askedAt: discards) == true else { return fetchMissing(of: thread) }
        // After `rolled_back`, what was loaded is what the client has.
        if let newest = page.events.last, let known = threads[thread], known.mayContinueFrom != nil {
            threads[thread]?.seq = max(known.seq, newest.seq)
            threads[thread]?.mayContinueFrom = known.seq + 1
        }
        fetchMissing(of: thread)
    }
}
