/// Applies events of the log in order and without gaps.
///
/// One rule covers replays, `behind`, `page` and unexpected events. An event directly above the position is applied. An
/// event at or below it is already known. An event further above shows that events are missing, and the machine
/// requests them with `history`. A thread without cached messages has no gaps.
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
        if record.mayGoOnBelow {
            record.goOn(after: event.seq - 1)
            threads[event.thread] = record
        }
        guard event.seq > record.seq else { return }
        if event.seq > record.seq + 1, record.hasCache || record.isFetching {
            return missing(event.thread, upTo: event.seq)
        }
        // Collections that begin above the old position start over.
        if event.seq > record.seq + 1 { note(reset: event.thread) }
        apply(event)
        advance(event.thread, from: event.seq, to: event.seq)
    }

    /// Notes that events up to `seq` exist and were not received.
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

    /// Requests missing events, for several threads at a time.
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

    /// Applies a page of missing events. `seq`s that the page skips do not exist.
    private mutating func fill(_ page: ServerFrame.Page, after: Int) {
        guard var record = threads[page.thread] else { return }
        record.isFetching = false
        threads[page.thread] = record
        if page.epoch != record.epoch {
            return reset(page.thread, epoch: page.epoch, seq: page.headSeq)
        }
        let start = record.seq
        // The numbering started over after the page was requested, so the page begins too high.
        guard after <= start else { return missing(page.thread, upTo: record.target) }
        for event in page.events where event.seq > start { apply(event) }
        var end = page.events.last.map { max($0.seq, start) } ?? start
        if !page.hasMoreAfter { end = max(end, page.headSeq) }
        // An empty page that announces more events would otherwise be requested repeatedly.
        if page.events.isEmpty, page.hasMoreAfter { end = max(end, record.target) }
        if end > start { advance(page.thread, from: start + 1, to: end) }
        if let record = threads[page.thread] {
            if record.target > record.seq, !page.hasMoreAfter {
                // The server has no event above this one: the announced event no longer exists.
                threads[page.thread]?.target = record.seq
            } else {
                missing(page.thread, upTo: record.target)
            }
        }
    }

    /// Moves a thread's position over `from...to`, which were applied.
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
            let isOwn = message.senderID == accountID
            if isOwn { sent(in: record, at: message.milliseconds) }
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
        case .edited, .reaction: applyChange(event)
        case .deleted(let target):
            applyChange(event)
            if event.seq > record.countedSeq, target > record.readSeq {
                act(.countUnread(thread: id, seq: record.readSeq))
            }
        case .renamed(let title): record.title = title
        case .visibility(let visibility): record.visibility = visibility
        case .role(let user, let role):
            guard user == accountID else { break }
            record.role = role
            if record.isModerated { slow.forget(id) }
        case .joined, .left, .unknown: break
        }
        switch event.content {
        // The name of a group may consist of the names of its members.
        case .joined, .left, .renamed: if record.kind == .group { act(.reload(thread: id)) }
        default: break
        }
        record.countedSeq = max(record.countedSeq, event.seq)
        threads[id] = record
    }

    /// Applies a change of an earlier message, and keeps it for pages that are on their way and may be older.
    private mutating func applyChange(_ event: ThreadEvent) {
        storeChange(event)
        guard isAwaitingPage(of: event.thread) else { return }
        // One more than the limit shows that some are missing.
        if lateChanges[event.thread]?.count ?? 0 <= limits.lateChanges {
            lateChanges[event.thread, default: []].append(event)
        }
    }

    private mutating func storeChange(_ event: ThreadEvent) {
        let id = event.thread
        switch event.content {
        case .edited(let target, let text):
            store(.edit(thread: id, seq: target, text: text, milliseconds: event.milliseconds))
        case .deleted(let target): store(.delete(thread: id, seq: target))
        case .reaction(let target, let user, let emoji, let isOn):
            store(.react(thread: id, seq: target, user: user, emoji: emoji, isOn: isOn))
        case .message, .joined, .left, .renamed, .role, .visibility, .unknown: return
        }
        note(messages: id)
    }

    private func isAwaitingPage(of thread: String) -> Bool {
        requests.values.contains { if case .history(let request) = $0 { request.thread == thread } else { false } }
    }

    // MARK: Pages for collections

    mutating func ask(_ request: HistoryRequest) {
        guard isGreeted else { return act(.answer(request: request.number, .failure(.offline))) }
        guard historyGate == nil else { return refusedHistories.append(request) }
        transmit(
            .history(thread: request.thread, before: request.before, after: request.after, limit: request.limit),
            for: .history(request))
    }

    /// Repeats a refused request after a pause, up to a limit.
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
            defer { if !isAwaitingPage(of: request.thread) { lateChanges[request.thread] = nil } }
            // Not all changes that may be newer than the page were kept.
            if lateChanges[request.thread]?.count ?? 0 > limits.lateChanges {
                lateChanges[request.thread] = nil
                return ask(request)
            }
            takeOver(page, before: request.before, after: request.after)
            act(.answer(request: request.number, .success(page)))
        case .entry, .read, .resume, .other: break
        }
    }

    /// Caches the messages of a page. The page includes everything received before it was requested, so it replaces the
    /// cached messages. Changes above its `headSeq`, which were received while it was on its way, are applied again.
    private mutating func takeOver(_ page: ServerFrame.Page, before: Int?, after: Int?) {
        guard var record = threads[page.thread] else { return }
        guard page.epoch == record.epoch || page.events.isEmpty else {
            return reset(page.thread, epoch: page.epoch, seq: page.headSeq)
        }
        if record.mayGoOnBelow, before == nil, after == nil {
            record.goOn(after: page.headSeq)
            threads[page.thread] = record
        }
        // What is above the position comes as events, or by `missing`.
        for event in page.events where event.seq <= record.seq {
            if case .message(let message) = event.content { store(.message(message)) }
            if let notice = ChatNotice(event) { store(.notice(notice)) }
        }
        for change in lateChanges[page.thread] ?? [] where change.seq > page.headSeq { storeChange(change) }
        // The range that the page covers; `seq`s that the page skips do not exist.
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

extension ServerFrame.Refusal {
    var error: ChatError { .refused(code: code, message: message) }
}
