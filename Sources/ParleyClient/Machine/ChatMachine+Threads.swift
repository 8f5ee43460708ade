/// Hello, resume and memberships.
extension ChatMachine {
    /// The first frame: the resume has to be the first command.
    mutating func greet(_ hello: ServerFrame.Hello) {
        let user = ChatUser(id: hello.userID, username: hello.username)
        // What is unsent is nobody else's, and is not given up without being asked.
        if let account, account.id != user.id, outbox.count > 0 { return end(.otherUser) }
        connection.greeted(ticket: hello.ticket, pingInterval: hello.pingInterval, at: now.uptime)
        isGreeted = true
        textLimit = hello.textLimit
        if let account, account.id != user.id {
            for thread in threads.keys { note(reset: thread) }
            threads = [:]
            for entry in outbox.entries.values where !entry.files.isEmpty { act(.removeFiles(entry: entry.id)) }
            outbox = ClientOutbox()
            uploads.forgetAll()
            store(.clear)
        }
        if account != user {
            account = user
            store(.account(user))
        }
        for thread in outbox.threads { settle(thread, upTo: threads[thread]?.seq ?? 0) }
        let resumable = take(hello.threads, isComplete: !hello.hasMore)
        transmit(.resume(fitting(resumable)), for: .resume)
        sendReads()
        if !ephemeral.watched.isEmpty { transmit(.watch(ephemeral.watched), for: .other) }
    }

    /// Takes over the threads of hello.
    /// - Returns: those whose position differs from the server's.
    private mutating func take(_ listed: [ServerFrame.ThreadFields], isComplete: Bool) -> [ThreadRecord] {
        var resumable: [ThreadRecord] = []
        var isNew = !isComplete
        let known = Set(listed.map(\.id))
        for var fields in listed {
            guard var record = threads[fields.id] else {
                threads[fields.id] = ThreadRecord(fields)
                isNew = isNew || fields.seq > 0
                note(record: fields.id)
                continue
            }
            if fields.isUnavailable {
                // The server notes the position, and tells what is missing when it can reach the log.
                if record.epoch != "" { resumable.append(record) }
                (fields.epoch, fields.seq) = (record.epoch, record.seq)
            }
            record.update(fields)
            record.target = record.seq
            if record.hasCache || (record.epoch != fields.epoch && record.epoch != "") {
                if record.epoch != fields.epoch || record.seq != fields.seq { resumable.append(record) }
            } else {
                if record.seq != fields.seq {
                    isNew = true
                    note(reset: fields.id)
                }
                record.reset(epoch: fields.epoch, seq: fields.seq)
                settle(fields.id, upTo: fields.seq)
            }
            threads[fields.id] = record
            note(record: fields.id)
        }
        for id in threads.keys.sorted() where !known.contains(id) {
            if isComplete { remove(id) } else { resumable += threads[id].map { [$0] } ?? [] }
        }
        if isNew { act(.listThreads) }
        return resumable
    }

    /// As many positions as fit in a frame, those of the most recent threads first. The others are caught up with by
    /// `history`.
    private mutating func fitting(_ records: [ThreadRecord]) -> [(thread: String, epoch: String, seq: Int)] {
        var bytes = 100
        var positions: [(thread: String, epoch: String, seq: Int)] = []
        for record in records.sorted(by: { ($1.activity, $0.id) < ($0.activity, $1.id) }) {
            bytes += record.id.utf8.count + record.epoch.utf8.count + 50
            if bytes <= limits.resumeBytes {
                positions.append((record.id, record.epoch, record.seq))
            } else {
                gaps.append(record.id)
                threads[record.id]?.target = record.seq + 1
            }
        }
        return positions
    }

    mutating func resumed(_ results: [String: ServerFrame.ResumeResult], _ ref: Int64?) {
        if let ref { requests[ref] = nil }
        for (id, result) in results.sorted(by: { $0.key < $1.key }) {
            switch result.state {
            case .live: continueNumbering(id, epoch: result.epoch)
            case .replayed, .page:
                continueNumbering(id, epoch: result.epoch)
                missing(id, upTo: result.to ?? 0)
            // What is cached may be void, so it is loaded again.
            case .rolledBack: reset(id, epoch: result.epoch, seq: result.to ?? 0)
            case .gone, .denied: remove(id)
            // Another `resumed` follows when the log can be reached.
            case .unavailable: break
            }
        }
    }

    /// The numbering has started over, if the epoch is another: sends and changes that are not known to be stored may be
    /// lost with the log, so they are sent again. Their places belong to the old numbering.
    mutating func renumber(_ id: String, epoch: String) {
        guard let record = threads[id], record.epoch != epoch, record.epoch != "" else { return }
        let entries = outbox.entries(in: id)
        let lost = Set(entries.filter { $0.isMessage && $0.receipt != nil && !$0.isStored }.map(\.id))
        for var entry in entries {
            let isUnresolved = entry.target.map { lost.contains($0.localID) } ?? false
            guard isUnresolved || (entry.receipt != nil && !entry.isStored) else { continue }
            entry.receipt = nil
            entry.needsSend = entry.inFlight == nil && entry.failure == nil
            // The message gets another id.
            if isUnresolved { entry.unresolve() }
            outbox.update(entry)
            store(.entry(entry))
        }
    }

    /// A new numbering continues what is known of a thread: nothing of that is void.
    private mutating func continueNumbering(_ id: String, epoch: String) {
        guard let record = threads[id], epoch != "", record.epoch != epoch else { return }
        renumber(id, epoch: epoch)
        threads[id]?.epoch = epoch
        note(record: id)
    }

    /// Empties a thread's cache and continues at a position.
    mutating func reset(_ id: String, epoch: String, seq: Int) {
        guard threads[id] != nil else { return }
        renumber(id, epoch: epoch)
        threads[id]?.reset(epoch: epoch, seq: seq)
        gaps.removeAll { $0 == id }
        store(.clearMessages(id))
        note(record: id)
        note(reset: id)
        settle(id, upTo: seq)
        act(.listThreads)
    }

    mutating func added(_ fields: ServerFrame.ThreadFields) {
        guard var record = threads[fields.id] else {
            threads[fields.id] = ThreadRecord(fields)
            threads[fields.id]?.activity = now.milliseconds
            note(record: fields.id)
            if fields.seq > 0 { act(.listThreads) }
            return
        }
        record.update(fields)
        threads[fields.id] = record
        note(record: fields.id)
        if record.epoch != fields.epoch, record.epoch != "" {
            reset(fields.id, epoch: fields.epoch, seq: fields.seq)
        } else {
            threads[fields.id]?.epoch = fields.epoch
            missing(fields.id, upTo: fields.seq)
        }
    }

    /// Forgets a thread: the user is no longer a member, or it is gone.
    mutating func remove(_ id: String) {
        guard threads.removeValue(forKey: id) != nil else { return }
        for entry in outbox.entries(in: id) {
            outbox.remove(entry.id)
            forgetFiles(of: entry)
        }
        gaps.removeAll { $0 == id }
        ephemeral.forget(thread: id)
        store(.removeThread(id))
        note(reset: id)
    }

    /// Threads of REST: those that hello did not list, and newest messages.
    mutating func listed(_ listed: [ServerFrame.ThreadFields]) {
        for fields in listed {
            let isKnown = threads[fields.id] != nil
            if !isKnown { threads[fields.id] = ThreadRecord(fields) }
            guard var record = threads[fields.id] else { continue }
            if let message = fields.lastMessage {
                record.activity = max(record.activity, message.milliseconds)
                // REST may be some milliseconds behind the log: what is cached is newer.
                if !record.hasCache {
                    store(.message(message))
                    note(messages: fields.id)
                }
            }
            guard record != threads[fields.id] || !isKnown else { continue }
            threads[fields.id] = record
            note(record: fields.id)
        }
    }
}
