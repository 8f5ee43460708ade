/// Events of the log, in order and without gaps.
///
/// One rule covers replays, `behind`, `page` and everything unexpected: an event directly above the position is applied,
/// one at or below it is known already, and one further above shows that events are missing, which `history` then brings.
/// Where nothing is cached nothing can be missing.
extension ChatMachine {
    mutating func received(_ event: ThreadEvent) {
        guard var record = threads[event.thread] else { return act(.listThreads) }
        if record.epoch != event.epoch {
            if record.hasCache { reset(event.thread, epoch: event.epoch, seq: event.seq - 1) }
            renumber(event.thread, epoch: event.epoch)
            record = threads[event.thread] ?? record
            record.reset(epoch: event.epoch, seq: event.seq - 1)
            threads[event.thread] = record
        }
        guard event.seq > record.seq else { return }
        if event.seq > record.seq + 1, record.hasCache || record.isFetching {
            return missing(event.thread, upTo: event.seq)
        }
        // Collections that begin above the old position begin anew.
        if event.seq > record.seq + 1 { note(reset: event.thread) }
        apply(event)
        advance(event.thread, from: event.seq, to: event.seq)
    }

    /// Events up to `seq` exist that were not received.
    mutating func missing(_ id: String, upTo seq: Int) {
        guard var record = threads[id], seq > record.seq else { return }
        guard record.hasCache || record.isFetching else {
            record.seq = seq
            record.target = seq
            threads[id] = record
            note(reset: id)
            settle(id, upTo: seq)
            return note(record: id)
        }
        record.target = max(record.target, seq)
        threads[id] = record
        if record.target - record.seq > limits.catchUp {
            return reset(id, epoch: record.epoch, seq: record.target)
        }
        if !record.isFetching, !gaps.contains(id) { gaps.append(id) }
    }

    /// Fetches what is missing, for some threads at once.
    mutating func pumpGaps() {
        guard isGreeted, historyGate == nil else { return }
        var fetching = requests.values.count { if case .gap = $0 { true } else { false } }
        while fetching < limits.inFlight, let id = gaps.first {
            gaps.removeFirst()
            guard var record = threads[id], record.target > record.seq, !record.isFetching else { continue }
            record.isFetching = true
            threads[id] = record
            fetching += 1
            transmit(
                .history(thread: id, before: nil, after: record.seq, limit: limits.historyPage),
                for: .gap(id, after: record.seq))
        }
    }

    /// A page of missing events. `seq`s that it skips do not exist.
    private mutating func fill(_ page: ServerFrame.Page, after: Int) {
        guard var record = threads[page.thread] else { return }
        record.isFetching = false
        threads[page.thread] = record
        if page.epoch != record.epoch {
            return reset(page.thread, epoch: page.epoch, seq: page.headSeq)
        }
        let start = record.seq
        // The numbering has started over since the page was asked for: it begins too far up.
        guard after <= start else { return missing(page.thread, upTo: record.target) }
        for event in page.events where event.seq > start { apply(event) }
        var end = page.events.last.map { max($0.seq, start) } ?? start
        if !page.hasMoreAfter { end = max(end, page.headSeq) }
        // A page without events that promises more would be asked for for ever.
        if page.events.isEmpty, page.hasMoreAfter { end = max(end, record.target) }
        if end > start { advance(page.thread, from: start + 1, to: end) }
        if let record = threads[page.thread] {
            if record.target > record.seq, !page.hasMoreAfter {
                // The server has nothing above: what was announced does not exist any more.
                threads[page.thread]?.target = record.seq
            } else {
                missing(page.thread, upTo: record.target)
            }
        }
    }

    /// Moves a thread's position over `from...to`, which was applied.
    private mutating func advance(_ id: String, from: Int, to: Int) {
        guard var record = threads[id] else { return }
        record.seq = to
        record.target = max(record.target, to)
        record.hasCache = true
        threads[id] = record
        store(.range(thread: id, from: from, to: to))
        note(record: id)
        settle(id, upTo: to)
    }

    private mutating func apply(_ event: ThreadEvent) {
        let id = event.thread
        guard var record = threads[id] else { return }
        record.activity = max(record.activity, event.milliseconds)
        if let notice = ChatNotice(event) {
            store(.notice(notice))
            note(messages: id)
        }
        switch event.content {
        case .message(let message):
            store(.message(message))
            note(messages: id)
            let isOwn = message.senderID == account?.id
            if isOwn, let clientID = message.clientID { echoed(clientID, message) }
            if event.seq > record.countedSeq {
                record.countedSeq = event.seq
                if isOwn, record.pendingRead == nil {
                    record.readSeq = max(record.readSeq, event.seq)
                    record.unread = 0
                } else if !isOwn, event.seq > record.readSeq, !message.isDeleted {
                    record.unread += 1
                }
            }
            if ephemeral.stopTyping(thread: id, user: message.senderID) { note(list: id) }
        case .edited(let target, let text):
            store(.edit(thread: id, seq: target, text: text, milliseconds: event.milliseconds))
            note(messages: id)
        case .deleted(let target):
            store(.delete(thread: id, seq: target))
            note(messages: id)
            if event.seq > record.countedSeq, target > record.readSeq {
                act(.countUnread(thread: id, seq: record.readSeq))
            }
        case .reaction(let target, let user, let emoji, let isOn):
            store(.react(thread: id, seq: target, user: user, emoji: emoji, isOn: isOn))
            note(messages: id)
        case .renamed(let title): record.title = title
        case .role(let user, let role): if user == account?.id { record.role = role }
        case .joined, .left, .unknown: break
        }
        record.countedSeq = max(record.countedSeq, event.seq)
        threads[id] = record
    }

    // MARK: Pages for collections

    mutating func ask(_ request: HistoryRequest) {
        guard isGreeted else { return act(.answer(request: request.number, .failure(.offline))) }
        guard historyGate == nil else { return refusedHistories.append(request) }
        transmit(
            .history(thread: request.thread, before: request.before, after: request.after, limit: request.limit),
            for: .history(request))
    }

    /// The server cannot answer now: the request is sent again after a pause, unless that was done too often.
    mutating func refused(_ request: HistoryRequest, _ refusal: ServerFrame.Refusal, _ pause: Duration) {
        var request = request
        request.refusals += 1
        guard refusal.isRetryable, request.refusals < limits.attemptsWhileUnavailable else {
            return act(.answer(request: request.number, .failure(refusal.error)))
        }
        refusedHistories.append(request)
        historyGate = now.uptime + pause
    }

    mutating func askAgain() {
        let requests = refusedHistories
        refusedHistories = []
        for request in requests { ask(request) }
    }

    mutating func received(_ page: ServerFrame.Page) {
        guard let ref = page.ref, let request = requests.removeValue(forKey: ref) else { return }
        switch request {
        case .gap(_, let after): fill(page, after: after)
        case .history(let request):
            takeOver(page, before: request.before, after: request.after)
            act(.answer(request: request.number, .success(page)))
        case .entry, .read, .resume, .other: break
        }
    }

    /// Caches the messages of a page. They include everything that was received before, so they replace what is cached;
    /// changes that come later are applied to them.
    private mutating func takeOver(_ page: ServerFrame.Page, before: Int?, after: Int?) {
        guard let record = threads[page.thread] else { return }
        guard page.epoch == record.epoch || page.events.isEmpty else {
            return reset(page.thread, epoch: page.epoch, seq: page.headSeq)
        }
        // What is above the position comes as events, or by `missing`.
        for event in page.events where event.seq <= record.seq {
            if case .message(let message) = event.content { store(.message(message)) }
            if let notice = ChatNotice(event) { store(.notice(notice)) }
        }
        // The places that the page covers; `seq`s that it skips do not exist.
        let newest = min(before.map { $0 - 1 } ?? record.seq, page.headSeq)
        let last = page.events.last?.seq ?? newest
        let to = after == nil || !page.hasMoreAfter ? newest : last
        let first = page.events.first?.seq ?? newest + 1
        let from = page.hasMoreBefore ? after.map { $0 + 1 } ?? first : 1
        guard from <= min(to, record.seq) else { return }
        store(.range(thread: page.thread, from: from, to: min(to, record.seq)))
        threads[page.thread]?.hasCache = true
        note(record: page.thread)
        note(messages: page.thread)
    }
}
