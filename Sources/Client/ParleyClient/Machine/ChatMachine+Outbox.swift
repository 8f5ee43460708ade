/// Sends and changes. They are stored before they are transmitted, in order for each thread, one in flight at a time,
/// and repeated under the same ID until the server confirms them.
extension ChatMachine {
    mutating func send(_ draft: ChatDraft, to thread: String, id: String, _ files: [OutboxFile]) {
        enqueue(.message(draft), in: thread, id: id, files)
        threads[thread]?.activity = now.milliseconds
        note(record: thread)
    }

    /// Adds an edit, a deletion or a reaction. A change of a message that was never transmitted is applied in the
    /// outbox.
    mutating func change(_ content: ClientOutboxEntry.Content, in thread: String, id: String) {
        var content = content
        let probe = ClientOutboxEntry(id: id, thread: thread, ordinal: 0, content: content, milliseconds: 0)
        if let target = probe.target, let message = outbox[target.localID], case .message(var draft) = message.content {
            switch content {
            case .edit(_, let text) where !message.wasSent:
                var message = message
                draft.text = text
                message.content = .message(draft)
                outbox.update(message)
                store(.entry(message))
                return note(messages: thread)
            case .deletion where !message.wasSent: return discard(message.id)
            default:
                if let receipt = message.receipt {
                    var entry = probe
                    _ = entry.resolve(target.localID, receipt)
                    content = entry.content
                }
            }
        }
        enqueue(content, in: thread, id: id)
    }

    private mutating func enqueue(
        _ content: ClientOutboxEntry.Content, in thread: String, id: String, _ files: [OutboxFile] = []
    ) {
        var entry = ClientOutboxEntry(
            id: id, thread: thread, ordinal: outbox.nextOrdinal(), content: content, milliseconds: now.milliseconds)
        entry.files = files
        outbox.append(entry)
        store(.entry(entry))
        note(messages: thread)
    }

    mutating func retry(_ id: String) {
        guard var entry = outbox[id], entry.failure != nil else { return }
        entry.failure = nil
        entry.attempts = 0
        entry.needsSend = true
        entry.hasDoubtedFiles = false
        uploads.gates[id] = nil
        for index in entry.files.indices { entry.files[index].doubt() }
        outbox.update(entry)
        store(.entry(entry))
        note(messages: entry.thread)
    }

    /// Removes an entry and the changes of its message.
    mutating func discard(_ id: String) {
        guard let entry = outbox[id] else { return }
        drop(entry)
        for change in outbox.entries(in: entry.thread) where change.target?.localID == id && entry.isMessage {
            drop(change)
        }
        note(messages: entry.thread)
    }

    private mutating func drop(_ entry: ClientOutboxEntry) {
        if let ref = entry.inFlight { requests[ref] = nil }
        outbox.remove(entry.id)
        store(.removeEntry(entry.id))
        forgetFiles(of: entry)
    }

    // MARK: Sending

    mutating func pumpOutbox() {
        guard isGreeted, !isSendGateSet else { return }
        for thread in outbox.threads where slow.mayBeSent(in: thread) {
            guard outbox.inFlightCount < limits.inFlight else { return }
            guard var entry = outbox.next(in: thread), let command = entry.command else { continue }
            transmit(command, for: .entry(entry.id))
            entry.inFlight = newestRef
            entry.needsSend = false
            if !entry.wasSent {
                // Stored before the command is transmitted: from this point the content must not change.
                entry.wasSent = true
                store(.entry(entry))
            }
            outbox.update(entry)
        }
    }

    // MARK: Answers

    mutating func acknowledged(_ ack: ServerFrame.Ack) {
        guard let ref = ack.ref, let request = requests[ref] else { return }
        switch request {
        case .entry(let id):
            if ack.isStored || outbox[id]?.isMessage != true { requests[ref] = nil }
            guard var entry = outbox[id] else { return }
            entry.inFlight = nil
            if entry.isMessage {
                accepted(&entry, ack)
            } else if let seq = ack.seq {
                entry.receipt = ClientOutboxEntry.Receipt(seq: seq, messageID: nil, milliseconds: ack.milliseconds ?? 0)
                update(entry)
            } else {
                drop(entry)
            }
            note(messages: entry.thread)
            settle(entry.thread, upTo: threads[entry.thread]?.seq ?? 0)
        case .read(let thread, let seq):
            requests[ref] = nil
            acknowledgedRead(thread, seq: seq)
        case .gap, .history, .resume, .other: requests[ref] = nil
        }
    }

    private mutating func accepted(_ entry: inout ClientOutboxEntry, _ ack: ServerFrame.Ack) {
        if let seq = ack.seq {
            let receipt = ClientOutboxEntry.Receipt(
                seq: seq, messageID: ack.messageID, milliseconds: ack.milliseconds ?? entry.milliseconds)
            entry.receipt = receipt
            resolve(entry.id, receipt, in: entry.thread)
        }
        entry.isStored = entry.isStored || ack.isStored
        update(entry)
    }

    /// Notes that the user's own message has arrived. It is accepted, even if its ack was lost.
    mutating func echoed(_ clientID: String, _ message: StoredMessage) {
        guard var entry = outbox[clientID], entry.thread == message.thread, entry.receipt == nil else { return }
        let receipt = ClientOutboxEntry.Receipt(
            seq: message.seq, messageID: message.id, milliseconds: message.milliseconds)
        entry.receipt = receipt
        resolve(clientID, receipt, in: entry.thread)
        update(entry)
    }

    private mutating func resolve(_ id: String, _ receipt: ClientOutboxEntry.Receipt, in thread: String) {
        for var change in outbox.entries(in: thread) where change.resolve(id, receipt) { update(change) }
    }

    private mutating func update(_ entry: ClientOutboxEntry) {
        outbox.update(entry)
        store(.entry(entry))
    }

    /// Removes the entries that have taken effect, once events up to `seq` are cached.
    mutating func settle(_ thread: String, upTo seq: Int) {
        for entry in outbox.entries(in: thread) {
            guard let receipt = entry.receipt, receipt.seq <= seq, entry.isStored || !entry.isMessage else { continue }
            drop(entry)
            note(messages: thread)
        }
    }

    mutating func refused(_ refusal: ServerFrame.Refusal) {
        guard let ref = refusal.ref, let request = requests.removeValue(forKey: ref) else { return }
        let pause = ReconnectPolicy.pause(asked: refusal.retryAfter, using: &random)
        switch request {
        case .entry(let id): refused(id, refusal, pause)
        case .gap(let thread, _):
            threads[thread]?.isFetching = false
            // No other refusal concerns the thread, and removing it would lose its unsent messages.
            if refusal.code == .notFound || refusal.code == .notAMember { return remove(thread) }
            guard refusal.isRetryable else { return }
            gaps.append(thread)
            historyGate = now.uptime + pause
        case .history(let request): refused(request, refusal, pause)
        case .read(let thread, let seq):
            threads[thread]?.isReadInFlight = false
            if refusal.isRetryable { readGate = now.uptime + pause } else { acknowledgedRead(thread, seq: seq) }
        case .resume: reconnect()
        case .other: break
        }
    }

    private mutating func refused(_ id: String, _ refusal: ServerFrame.Refusal, _ pause: Duration) {
        guard var entry = outbox[id] else { return }
        entry.inFlight = nil
        if refusal.code == .notFound, !entry.files.isEmpty, entry.receipt != nil {
            // The message was accepted earlier, and deleted with its files before this repetition.
            drop(entry)
            return note(messages: entry.thread)
        }
        if refusal.code == .notFound, restoreFiles(of: &entry) {
            entry.needsSend = true
            update(entry)
            return note(messages: entry.thread)
        }
        if refusal.isRetryable, isRefusedBySlowMode(refusal, in: entry.thread, pause) {
            entry.needsSend = true
        } else if refusal.isRetryable {
            if refusal.code != .rateLimited { entry.attempts += 1 }
            entry.needsSend = true
            // One gate serves all threads, because the budget and the log are shared by all of them.
            sendGate = now.uptime + pause
            isSendGateSet = true
        }
        if !refusal.isRetryable || entry.attempts >= limits.attemptsWhileUnavailable {
            entry.failure = ClientOutboxEntry.Failure(
                code: refusal.code, message: refusal.message, isRetryable: refusal.isRetryable)
        }
        if entry.failure != nil, case .reaction = entry.content {
            // The user has no reason to retry this entry.
            drop(entry)
        } else if entry.failure != nil {
            update(entry)
        } else {
            outbox.update(entry)
        }
        note(messages: entry.thread)
    }
}
