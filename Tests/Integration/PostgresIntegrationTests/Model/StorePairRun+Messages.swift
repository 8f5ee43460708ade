import ParleyModel
import ParleyTestContracts
import ParleyTestSupport

extension StorePairRun {
    // MARK: Writing

    mutating func write() async throws {
        var contents: [IngestBatch.Entry.Content] = []
        for _ in 0...roll(8) {
            switch roll(40) {
            case 0: contents.append(.unreadable(reason: "garbage", bytes: [UInt8(roll(256))]))
            case 1: contents.append(.refused(message(), reason: "why"))
            case ..<6: contents.append(.readMark(mark()))
            case ..<12 where !held.isEmpty: contents.append(.event(held.remove(at: roll(held.count))))
            default:
                let event = isOneOf(3) ? change() : message()
                if isOneOf(15) { held.append(event) } else { contents.append(.event(event)) }
            }
        }
        try await write(contents)
    }

    /// Writes entries as batches of the partitions of their threads.
    mutating func write(_ contents: [IngestBatch.Entry.Content]) async throws {
        var entries: [Int: [IngestBatch.Entry]] = [:]
        for content in contents {
            let thread: ThreadID? =
                if case .readMark(let mark) = content { mark.thread } else { content.anyEvent?.thread }
            let partition = (thread?.text.utf8.reduce(0) { $0 + Int($1) } ?? 0) % 2
            entries[partition, default: []].append(IngestBatch.Entry(offset: "\(number())-0", content: content))
        }
        let batches = entries.sorted { $0.key < $1.key }.map { number, entries in
            IngestBatch(partition: Partition(number: number), incarnation: epoch.text, entries: entries)
        }
        self.batches = self.batches.suffix(20) + [batches]
        try await write(batches)
    }

    private mutating func write(_ batches: [IngestBatch]) async throws {
        let outcomes = try await pair.ask("write \(batches)") { try await $0.write(batches) }
        // A log that learns where its events were stored continues from there.
        guard let outcomes, !isOneOf(3) else { return }
        for (batch, outcomes) in zip(batches, outcomes) {
            for (entry, outcome) in zip(batch.entries, outcomes) {
                if case .event(let event) = entry.content, case .stored(let seq) = outcome {
                    heads[event.thread] = max(heads[event.thread, default: 0], seq)
                }
            }
        }
    }

    mutating func replay() async throws {
        guard let last = batches.last else { return }
        try await write(isOneOf(2) ? last : pick(batches))
    }

    // MARK: Events

    mutating func event(_ body: LogEvent.Body, in thread: ThreadID) -> LogEvent {
        let seq = heads[thread, default: 0] + (isOneOf(20) ? 2 : 1)
        heads[thread] = seq
        milliseconds += Int64(roll(700))
        return LogEvent(
            thread: thread, position: Position(epoch: epoch, seq: seq), milliseconds: milliseconds, messageCount: 0,
            body: body)
    }

    private mutating func text() -> String {
        (0...roll(3)).map { _ in pick(["tea", "milk", "kettle", "red", "Green"]) }.joined(separator: " ")
    }

    mutating func message() -> LogEvent {
        let sender = user()
        if isOneOf(10), let old = pickRecent(sent) {
            let isSame = isOneOf(2)
            let again = Message(
                id: MessageID(trusted: "m\(number())"), sender: old.message.sender,
                text: isSame ? old.message.text : text(), clientID: old.message.clientID,
                recipient: isSame ? old.message.recipient : nil, parts: isSame ? old.message.parts : [],
                replyTo: isSame ? old.message.replyTo : nil)
            return event(.message(again), in: isSame ? old.thread : thread())
        }
        let recipient = isOneOf(5) ? user() : nil
        let message = Message(
            id: MessageID(trusted: "m\(number())"), sender: sender, text: isOneOf(40) ? "\0" : text(),
            clientID: isOneOf(2) ? "c\(number())" : nil, recipient: recipient,
            parts: isOneOf(5) ? [pick(Samples.parts)] : [], replyTo: isOneOf(8) ? Int64(roll(100)) : nil)
        let thread = recipient.map { ThreadInfo.directID(sender.id, $0.id) } ?? thread()
        if recipient != nil { note(thread) }
        sent.append((thread, message))
        return event(.message(message), in: thread)
    }

    /// An edit, a deletion, a reaction, or an event about members or the title; sometimes an invalid one.
    private mutating func change() -> LogEvent {
        let (by, user, some) = (user().id, user(), pickRecent(sent))
        let thread = isOneOf(15) ? thread() : some?.thread ?? thread()
        let (id, seq) = (some?.message.id ?? MessageID(trusted: "none"), Int64(roll(9)))
        switch roll(12) {
        case ..<3:
            return event(.edited(MessageEdit(messageID: id, messageSeq: seq, text: text(), by: by)), in: thread)
        case ..<5: return event(.deleted(MessageDeletion(messageID: id, messageSeq: seq, by: by)), in: thread)
        case ..<9:
            let reaction = Reaction(
                messageID: id, messageSeq: seq, user: user.id, emoji: pick(["👍", "🎉", ":x:"]), isOn: !isOneOf(3))
            return event(.reaction(reaction), in: thread)
        case 9: return event(isOneOf(2) ? .left(user, by: by) : .joined(user, by: by), in: thread)
        case 10: return event(.renamed(title: title(), by: by), in: thread)
        default: return event(.role(user.id, role() ?? .member, by: by), in: thread)
        }
    }

    private mutating func mark() -> ReadMark {
        let (thread, user) = (thread(), user().id)
        let seq = isOneOf(4) ? nil : Int64(roll(Int(heads[thread, default: 0]) + 4))
        return ReadMark(thread: thread, user: user, seq: seq, milliseconds: markTime())
    }

    private mutating func markTime() -> Int64? { isOneOf(3) ? nil : milliseconds + Int64(roll(2000) - 1000) }

    // MARK: Reading

    mutating func readMessages() async throws {
        let (thread, user, some) = (thread(), user(), pickRecent(sent))
        let head = Int(heads[thread, default: 0])
        let (seq, limit, date) = (Int64(roll(head + 4)), 1 + roll(12), milliseconds - Int64(roll(20_000)))
        switch roll(11) {
        case ..<2:
            let (mark, made) = (isOneOf(4) ? nil : seq, markTime())
            try await pair.ask("markRead \(thread) \(user) \(String(describing: mark))") { store in
                try await store.markRead(thread, by: user.id, through: mark, at: made)
                return try await store.thread(thread, of: user.id)
            }
        case 2:
            var query = MessageQuery(limit: limit - 1, keepsSecondsWhole: isOneOf(2))
            if isOneOf(3) { query.before = date / 1000 }
            if isOneOf(3) { query.after = (date - 5000) / 1000 }
            if isOneOf(3) { query.beforeSeq = seq }
            if isOneOf(3) { query.afterSeq = seq - 3 }
            let asked = query
            try await pair.ask("messages in \(thread) \(asked)") { try await $0.messages(in: thread, asked) }
        case ..<5:
            let places: [HistoryQuery.Place] = [.newest, .before(seq), .after(seq), .around(seq), .at(date)]
            let query = HistoryQuery(pick(places), limit: limit)
            try await pair.ask("history in \(thread) \(query)") { try await $0.history(in: thread, query) }
        case 5:
            try await pair.ask("events in \(thread)") { try await $0.events(in: thread, after: seq - 3, limit: limit) }
        case 6:
            let positions = [epoch, epoch.successor].flatMap { epoch in
                (0...4).map { Position(epoch: epoch, seq: seq + $0 - 2) }
            }
            try await pair.ask("stored in \(thread)") { try await $0.stored(positions, in: thread) }
            try await pair.ask("heads") { try await $0.heads(of: [thread, ThreadID(trusted: "none")]) }
            try await pair.ask("checkpoints") { try await $0.checkpoints(of: (0..<3).map { Partition(number: $0) }) }
        case 7:
            guard let some else { return }
            let queries = [some.thread, thread].map { SendQuery(thread: $0, message: some.message) }
            try await pair.ask("sends of \(some)") { store in
                try await store.sends(queries).map { $0.map { "\($0.receipt) \($0.isSame)" } }
            }
        case 8:
            guard let some else { return }
            let id = some.message.id
            let keys = [some.thread, thread].map { MessageKey(thread: $0, message: id) }
            try await pair.ask("message") { try await $0.message(id, in: some.thread) }
            try await pair.ask("gone") { try await $0.gone(among: keys) }
        case 9:
            let (words, place) = (text(), isOneOf(2) ? thread : nil)
            try await pair.ask("search \(words)") { store in
                try await store.search(words, of: user.id, in: place, limit: limit)
            }
        default: try await compareExport(of: user.id, limit: limit)
        }
    }

    /// The order of an export is the store's own.
    private func compareExport(of user: UserID, limit: Int) async throws {
        try await pair.ask("export of \(user)") { store in
            var (all, next): ([LogEvent], ExportPlace?) = ([], nil)
            repeat {
                let page = try await store.export(of: user, after: next, limit: limit)
                all += page.messages
                next = page.next
            } while next != nil
            return all.sorted { ($0.thread.text, $0.position.seq) < ($1.thread.text, $1.position.seq) }
        }
    }
}
