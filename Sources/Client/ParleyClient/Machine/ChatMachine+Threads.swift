/// Hello, resume and memberships.
extension ChatMachine {
    /// Handles the first frame. The resume must be the first command.
    mutating func greet(_ hello: ServerFrame.Hello) {
        let user = ChatUser(id: ChatUser.ID(hello.userID), username: hello.username)
        // The unsent entries belong to another user, and are not discarded without confirmation.
        if let account, account.id != user.id, outbox.count > 0 { return end(.otherUser) }
        connection.greeted(ticket: hello.ticket, pingInterval: hello.pingInterval, at: now.uptime)
        isGreeted = true
        noteHello()
        textLimit = hello.textLimit
        mutes.greeted(at: hello.serverTime, threads: hello.threads.map(\.id), now: now.milliseconds)
        if let account, account.id != user.id {
            for thread in threads.keys { note(reset: thread) }
            threads = [:]
            for entry in outbox.entries.values where !entry.files.isEmpty { act(.removeFiles(entry: entry.id)) }
            outbox = ClientOutbox()
            uploads.forgetAll()
            blocks = []
            output.isBlocksChanged = true
            store(.clear)
        }
        if account != user {
            account = user
            store(.account(user))
        }
        receivedBlocks(hello.blocks)
        for thread in outbox.threads { settle(thread, upTo: threads[thread]?.seq ?? 0) }
        let resumable = take(hello.threads, isComplete: !hello.hasMore)
        transmit(.resume(fitting(resumable)), for: .resume)
        sendReads()
        if !ephemeral.watched.isEmpty { transmit(.watch(ephemeral.watched), for: .other) }
    }

    /// Adopts the threads of hello.
    /// - Returns: The threads whose position differs from the server's.
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
                // The server notes the position, and reports missing events when it can reach the log.
                if record.epoch != "" { resumable.append(record) }
                (fields.epoch, fields.seq) = (record.epoch, record.seq)
            }
            if record.isNamedDifferently(in: fields) { act(.reload(thread: fields.id)) }
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
        let joined = listedBeforeHello
        listedBeforeHello = []
        for id in threads.keys.sorted() where !known.contains(id) {
            // The hello may be older than the membership; then `thread_added` follows.
            if joined.contains(id) { continue }
            if isComplete { remove(id) } else { resumable += threads[id].map { [$0] } ?? [] }
        }
        if isNew { act(.listThreads) }
        return resumable
    }

    /// Selects as many positions as fit into a frame, most recent threads first. `history` catches up on the others.
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
            case .rolledBack: reset(id, epoch: result.epoch, seq: result.to ?? 0, mayGoOnBelow: true)
            case .gone, .denied: remove(id)
            // Another `resumed` follows when the log can be reached.
            case .unavailable: break
            }
        }
    }

    /// Adopts a new epoch. Sends and changes that are not known to be stored may be lost with the old log, so they are
    /// sent again. Their positions belong to the old numbering.
    mutating func renumber(_ id: String, epoch: String) {
        guard let record = threads[id], record.epoch != epoch, record.epoch != "" else { return }
        let entries = outbox.entries(in: id)
        let lost = Set(entries.filter { $0.isMessage && $0.receipt != nil && !$0.isStored }.map(\.id))
        for var entry in entries {
            let isUnresolved = entry.target.map { lost.contains($0.localID) } ?? false
            guard isUnresolved || (entry.receipt != nil && !entry.isStored) else { continue }
            entry.receipt = nil
            entry.needsSend = entry.inFlight == nil && entry.failure == nil
            // The message gets another ID.
            if isUnresolved { entry.unresolve() }
            outbox.update(entry)
            store(.entry(entry))
        }
    }

    /// Adopts a new numbering that continues the known events of a thread.
    private mutating func continueNumbering(_ id: String, epoch: String) {
        guard let record = threads[id], epoch != "", record.epoch != epoch else { return }
        renumber(id, epoch: epoch)
        threads[id]?.epoch = epoch
        note(record: id)
    }

    /// Empties a thread's cache and continues at a position.
    mutating func reset(_ id: String, epoch: String, seq: Int, mayGoOnBelow: Bool = false) {
        guard threads[id] != nil else { return }
        renumber(id, epoch: epoch)
        threads[id]?.reset(epoch: epoch, seq: seq, mayGoOnBelow: mayGoOnBelow)
        gaps.removeAll { $0 == id }
        store(.clearMessages(id))
        note(record: id)
        note(reset: id)
        settle(id, upTo: seq)
        act(.listThreads)
    }

    mutating func added(_ fields: ServerFrame.ThreadFields) {
        mutes.reported.insert(fields.id)
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

    /// Removes a thread, because the user is no longer a member or the thread was deleted.
    mutating func remove(_ id: String) {
        guard threads.removeValue(forKey: id) != nil else { return }
        for entry in outbox.entries(in: id) {
            outbox.remove(entry.id)
            forgetFiles(of: entry)
        }
        gaps.removeAll { $0 == id }
        ephemeral.forget(thread: id)
        mutes.reported.remove(id)
        slow.forget(id)
        store(.removeThread(id))
        note(reset: id)
    }

    /// Adopts the threads from REST: the threads that hello did not list with the user's mutes there, and newest
    /// messages.
    mutating func listed(_ listed: [ServerFrame.ThreadFields]) {
        for fields in listed {
            let isKnown = threads[fields.id] != nil
            if !isKnown, !isGreeted { listedBeforeHello.insert(fields.id) }
            if !isKnown { threads[fields.id] = ThreadRecord(fields) }
            guard var record = threads[fields.id] else { continue }
            if !mutes.reported.contains(fields.id) {
                record.mute = fields.mute
                _ = record.take(fields.room)
            }
            // Frames may have older names of a group's members.
            if record.kind == .group { record.title = fields.title }
            if let message = fields.lastMessage {
                record.activity = max(record.activity, message.milliseconds)
                // REST may lag behind the log by some milliseconds, so cached values are newer.
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
