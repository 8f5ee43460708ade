import ParleyModel
import ParleyTestSupport
import Testing

/// Applies random operations to a store and to `StoreModel`, and compares their answers.
/// The simulated log is faulty: it repeats sends and batches, delivers late, and loses its position.
package struct StoreModelRun {
    /// Runs `operations` on a new database; deterministic for a seed.
    package static func check<Database: StoreDatabase>(
        on _: Database.Type, seed: UInt64, operations: Int
    ) async throws {
        let database = try await Database.make()
        do {
            var run = StoreModelRun(seed: seed, database: database, store: try await database.open())
            try await run.play(operations)
        } catch {
            try await database.remove()
            throw error
        }
        try await database.remove()
    }

    private let seed: UInt64
    private let database: any StoreDatabase
    private let store: any StoreUnderTest
    private var model = StoreModel()
    private var random: SeededGenerator
    private var operation = 0
    /// The heads as the log believes them to be.
    private var heads: [ThreadID: Int64] = [:]
    private var epoch = Epoch("0")
    private var milliseconds: Int64 = 1_700_000_000_000
    private var names = 0
    private var sent: [(thread: ThreadID, message: Message)] = []
    private var held: [LogEvent] = []
    private var batches: [IngestBatch] = []

    private init(seed: UInt64, database: any StoreDatabase, store: any StoreUnderTest) {
        self.seed = seed
        self.database = database
        self.store = store
        random = SeededGenerator(seed)
    }

    private var place: Comment { "seed \(seed), operation \(operation)" }

    private mutating func play(_ operations: Int) async throws {
        for number in 0..<8 {
            let user = User(id: UserID(trusted: "u\(number)"), name: "user \(number)")
            try await store.createUser(user, passwordHash: nil)
            model.users.append(user)
        }
        while operation < operations {
            operation += 1
            switch Int.random(in: 0..<100, using: &random) {
            case ..<8: try await join()
            case 8: try await erase()
            case ..<11: try await changeState()
            case ..<50: try await send()
            case ..<58: try await replay()
            case ..<76: try await markRead()
            case ..<83: try await compareInbox(of: user())
            case ..<86: try await compareThreads(of: user())
            case ..<89: try await comparePage()
            case ..<95: try await compareHistory()
            case ..<97: try await compareSearch()
            default: forget()
            }
        }
        try await compareAll()
    }

    // MARK: Operations

    private mutating func join() async throws {
        names += 1
        let (title, user, id) = ("room \(roll(5))", living(), ThreadID(trusted: "r\(names)"))
        let expected = model.join(title, user, newID: id, at: milliseconds)
        let change = try await store.join(user, roomTitled: title, newID: id, at: milliseconds)
        let joined = change.value
        #expect(joined == expected, place)
        // Nothing is relayed: the events of a run have no outbox entries, and change no members.
        try await store.complete(change.outbox)
        guard joined.isNewMember, roll(4) > 0 else { return }
        try await write([event(.joined(user), in: joined.membership.thread.id)].map { .event($0) })
    }

    /// A departure, a role or a title, in an existing thread.
    private mutating func changeState() async throws {
        let (thread, user, time) = (thread(), living(), milliseconds)
        guard let known = model.threads[thread], let member = known.members[user.id] else { return }
        var outbox: [OutboxEntry] = []
        switch (roll(3), known.info.kind) {
        case (0, _):
            model.leave(thread, user.id)
            outbox = try await store.removeMember(user, from: thread, by: user.id, at: time) { _ in }.outbox
        case (1, .room):
            let role = [Membership.Role.owner, .moderator, .member, .readOnly][roll(4)]
            model.threads[thread]?.members[user.id] = (member.cursor, member.joined, role)
            outbox = try await store.setMember(user, of: thread, role: role, by: user.id, at: time) { _ in }.outbox
        default:
            let (title, isRoom) = ("room \(roll(9))", known.info.kind == .room)
            guard isRoom, !model.threads.values.contains(where: { $0.info.title == title }) else { return }
            model.rename(thread, to: title)
            outbox = try await store.rename(thread, to: title, by: user.id, at: time) { _ in }.outbox
        }
        try await store.complete(outbox)
    }

    /// At most two of the users, and not early.
    private mutating func erase() async throws {
        guard operation > 500, model.erased.count < 2, roll(10) == 0 else { return }
        let user = user()
        model.erase(user.id)
        #expect(try await store.eraseUser(user.id, at: milliseconds).value, place)
        #expect(try await store.eraseUser(user.id, at: milliseconds + 1).value, place)
        #expect(try await store.users([user.id]) == [:], place)
        // Reactions and `client_id`s are removed by it; the rest is invisible to readers.
        try await store.finishCleanups()
    }

    private mutating func send() async throws {
        var contents: [IngestBatch.Entry.Content] = []
        for _ in 0...roll(10) {
            if roll(30) == 0 {
                contents.append(.unreadable(reason: "garbage", bytes: [UInt8(roll(256))]))
            } else if !held.isEmpty, roll(3) == 0 {
                contents.append(.event(held.remove(at: roll(held.count))))
            } else {
                let event = roll(3) == 0 ? change() : message()
                if roll(20) == 0 { held.append(event) } else { contents.append(.event(event)) }
            }
        }
        try await write(contents)
    }

    private mutating func write(_ contents: [IngestBatch.Entry.Content]) async throws {
        let entries = contents.map { content in
            names += 1
            return IngestBatch.Entry(offset: "\(names)-0", content: content)
        }
        let batch = IngestBatch(partition: Partition(number: 3), incarnation: epoch.text, entries: entries)
        batches.append(batch)
        try await write(batch)
    }

    private mutating func write(_ batch: IngestBatch) async throws {
        let expected = model.write(batch)
        let outcomes = try await store.write(batch)
        #expect(outcomes.map { $0.isRejected ? .rejected("") : $0 } == expected, place)
        // A log that learns where its events were stored continues from there; one that does not meets more taken seqs.
        guard roll(3) > 0 else { return }
        for (entry, outcome) in zip(batch.entries, outcomes) {
            if case .event(let event) = entry.content, case .stored(let seq) = outcome {
                heads[event.thread] = max(heads[event.thread, default: 0], seq)
            }
        }
    }

    private mutating func replay() async throws {
        guard let last = batches.last else { return }
        try await write(roll(2) == 0 ? last : batches[roll(batches.count)])
    }

    private mutating func markRead() async throws {
        let (user, thread) = (living(), thread())
        let head = model.threads[thread]?.head ?? 0
        let seq = roll(4) == 0 ? nil : Int64(roll(Int(head) + 5) - 1)
        model.markRead(thread, by: user, through: seq)
        try await store.markRead(thread, by: user.id, through: seq)
        try await compareInbox(of: user)
    }

    /// The log loses the ends of its threads and the entries it has not delivered.
    private mutating func forget() {
        epoch = Epoch("\(operation)")
        held = []
        milliseconds -= Int64(roll(5000))
        for (thread, head) in heads { heads[thread] = max(0, head - Int64(roll(10))) }
    }

    // MARK: Events

    private mutating func message() -> LogEvent {
        let sender = user()
        if roll(10) == 0, let old = sent.randomElement(using: &random) {
            // Sent again under its client_id: one half unchanged, the others perhaps in another thread or with another
            // text.
            names += 1
            let isSame = roll(2) == 0
            let again = Message(
                id: MessageID(trusted: "m\(names)"), sender: old.message.sender,
                text: isSame || roll(2) == 0 ? old.message.text : "text \(names % 3)", clientID: old.message.clientID,
                recipient: isSame ? old.message.recipient : nil, parts: isSame ? old.message.parts : [],
                replyTo: isSame ? old.message.replyTo : nil)
            return event(.message(again), in: isSame ? old.thread : thread())
        }
        names += 1
        let recipient = roll(5) == 0 ? user() : nil
        let message = Message(
            id: MessageID(trusted: "m\(names)"), sender: sender, text: "text \(names)",
            clientID: roll(2) == 0 ? "c\(names)" : nil, recipient: recipient,
            parts: roll(8) == 0 ? [Samples.parts[roll(Samples.parts.count)]] : [],
            replyTo: roll(8) == 0 ? Int64(roll(100)) : nil)
        let thread = recipient.map { ThreadInfo.directID(sender.id, $0.id) } ?? self.thread()
        if message.clientID != nil, roll(10) == 0 { sent.append((thread, message)) }
        return event(.message(message), in: thread)
    }

    /// An edit, a deletion, a reaction, or an event about members, the title or the visibility; sometimes an invalid one.
    private mutating func change() -> LogEvent {
        let (thread, by, user) = (thread(), user().id, user())
        let known = model.threads[thread]?.log.compactMap(\.event.message) ?? []
        // Mostly recent ones, so that many events concern the same message.
        let some = roll(4) > 0 ? known.suffix(5).randomElement(using: &random) : known.randomElement(using: &random)
        let id = roll(20) == 0 ? MessageID(trusted: "none") : some?.id ?? MessageID(trusted: "none")
        let seq = Int64(roll(9))
        let roles: [Membership.Role] = [.owner, .moderator, .member, .readOnly]
        names += 1
        switch roll(13) {
        case ..<3:
            return event(
                .edited(MessageEdit(messageID: id, messageSeq: seq, text: "edit \(names)", by: by)), in: thread)
        case ..<6:
            return event(.deleted(MessageDeletion(messageID: id, messageSeq: seq, by: by)), in: thread)
        case ..<9:
            let emoji = ["👍", "🎉", ":x:"][roll(3)]
            let reaction = Reaction(messageID: id, messageSeq: seq, user: user.id, emoji: emoji, isOn: roll(3) > 0)
            return event(.reaction(reaction), in: thread)
        case 9: return event(roll(2) == 0 ? .left(user, by: by) : .joined(user, by: by), in: thread)
        case 10: return event(.renamed(title: "room \(roll(9))", by: by), in: thread)
        case 11: return event(.visibility(RoomVisibility.allCases[roll(3)], by: by), in: thread)
        default: return event(.role(user.id, roles[roll(4)], by: by), in: thread)
        }
    }

    private mutating func event(_ body: LogEvent.Body, in thread: ThreadID) -> LogEvent {
        let seq = heads[thread, default: 0] + 1
        heads[thread] = seq
        milliseconds += Int64(roll(700))
        return LogEvent(
            thread: thread, position: Position(epoch: epoch, seq: seq), milliseconds: milliseconds, messageCount: 0,
            body: body)
    }

    private mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

    private mutating func user() -> User { model.users[roll(model.users.count)] }

    /// A user who is not erased.
    private mutating func living() -> User {
        let living = model.users.filter { !model.erased.contains($0.id) }
        return living[roll(living.count)]
    }

    /// An existing thread, or sometimes an unknown one.
    private mutating func thread() -> ThreadID {
        let threads = model.threads.keys.sorted { $0.text < $1.text }
        return roll(50) == 0 || threads.isEmpty ? ThreadID(trusted: "nowhere") : threads[roll(threads.count)]
    }

    // MARK: Comparisons

    private func compareInbox(of user: User) async throws {
        let (inbox, expected) = (try await store.inbox(of: user.id), model.inbox(of: user))
        // The first difference, which is easier to read than two long lists.
        #expect(inbox.first { !expected.contains($0) } == expected.first { !inbox.contains($0) }, place)
        #expect(inbox == expected, place)
    }

    private mutating func comparePage() async throws {
        let thread = thread()
        let messages = model.messages(in: thread)
        var query = MessageQuery(limit: roll(12), keepsSecondsWhole: roll(2) == 0)
        if let some = messages.randomElement(using: &random), let other = messages.randomElement(using: &random) {
            if roll(3) == 0 { query.before = some.milliseconds / 1000 }
            if roll(3) == 0 { query.after = other.milliseconds / 1000 }
            if roll(3) == 0 { query.beforeSeq = some.position.seq }
            if roll(3) == 0 { query.afterSeq = other.position.seq }
        }
        let page = try await store.messages(in: thread, query)
        #expect(page == StoreModel.page(of: messages, query), place)
        #expect(try await store.head(of: thread) == model.head(of: thread), place)
        let heads = try await store.heads(of: [thread, self.thread()])
        for (thread, head) in heads { #expect(head == model.head(of: thread), place) }
        #expect(heads[thread] == model.head(of: thread), place)
    }

    private mutating func compareThreads(of user: User) async throws {
        let all = model.summaries(of: user)
        var place = roll(3) == 0 ? nil : all.randomElement(using: &random)?.place
        if roll(3) == 0 { place?.activity += Int64(roll(3) - 1) }
        let limit = roll(4)
        #expect(
            try await store.threads(of: user.id, after: place, limit: limit)
                == StoreModel.page(of: all, after: place, limit: limit), self.place)
        let other = self.user()
        let readStates = try await store.readStates(of: [user.id, other.id, UserID(trusted: "nobody")], limit: limit)
        for requested in [user, other] {
            #expect(
                readStates[requested.id, default: []] == model.summaries(of: requested).prefix(limit).map(\.readState),
                self.place)
        }
    }

    private mutating func compareHistory() async throws {
        let thread = thread()
        let messages = model.messages(in: thread)
        let some = messages.randomElement(using: &random)
        let seq = (some?.position.seq ?? 1) + Int64(roll(5) - 2)
        let date = (some?.milliseconds ?? 1) + Int64(roll(3) - 1)
        let places: [HistoryQuery.Place] = [.newest, .before(seq), .after(seq), .around(seq), .at(date)]
        let query = HistoryQuery(places[roll(places.count)], limit: 1 + roll(12))
        let page = try await store.history(in: thread, query)
        let whole = model.plain(thread).messagesWithReactions
        #expect(page == StoreModel.history(of: whole, query, head: model.head(of: thread)), place)
        let log = try await store.events(in: thread, after: seq - 5, limit: 1 + query.limit)
        #expect(log == model.log(of: thread, after: seq - 5, limit: 1 + query.limit), place)
        guard let some = some?.message else { return }
        let found = try await store.message(some.id, in: thread)
        #expect(found?.isGone == (some.isDeleted || some.isErased), place)
        #expect(found?.sender == some.sender.id, place)
    }

    private mutating func compareSearch() async throws {
        let (user, thread, limit, name) = (user(), roll(2) == 0 ? thread() : nil, 1 + roll(20), roll(names + 1))
        let words = ["text", "te", "edi", "edit", "TEXT \(name)", "edit \(name)", "nothing", "?!"][roll(8)]
        #expect(
            try await store.search(words, of: user.id, in: thread, limit: limit)
                == model.search(words, of: user, in: thread, limit: limit), "\(words), \(place)")
    }

    private func compareExport(of user: User) async throws {
        var (exported, next): ([LogEvent], ExportPlace?) = ([], nil)
        repeat {
            let page = try await store.export(of: user.id, after: next, limit: 7)
            #expect(page.messages.count == 7 || page.next == nil, place)
            exported += page.messages
            next = page.next
        } while next != nil
        let expected = model.export(of: user)
        #expect(exported.count == expected.count, place)
        #expect(Set(exported) == Set(expected), place)
    }

    /// A query for a send returns the first use, and whether it is the same.
    private func compareSends() async throws {
        let queries = sent.flatMap { sent in
            [sent.thread, ThreadID(trusted: "elsewhere")].map { SendQuery(thread: $0, message: sent.message) }
        }
        let replies = try await store.sends(queries)
        for (query, reply) in zip(queries, replies) {
            let first = model.uses(of: query.message).first
            #expect(reply?.receipt.messageID == first?.event.message?.id, place)
            #expect(reply?.receipt.thread == first?.event.thread, place)
            #expect(reply?.receipt.position == first?.event.position, place)
            #expect(reply?.isSame == first?.isSame(query.message, in: query.thread), place)
        }
        #expect(model.threads.values.contains { !$0.skipped.isEmpty }, place)
        #expect(model.uses.values.contains { $0.count > 1 }, place)
    }

    private func compareAll() async throws {
        for user in model.users {
            try await compareInbox(of: user)
            #expect(
                try await store.threads(of: user.id, after: nil, limit: 10_000) == model.summaries(of: user), place)
            try await compareExport(of: user)
        }
        for id in model.threads.keys {
            let page = try await store.messages(in: id, MessageQuery(limit: 10_000))
            #expect(page.messages == model.messages(in: id).reversed(), place)
            let log = try await store.events(in: id, after: 0, limit: 10_000)
            #expect(log == model.log(of: id, after: 0, limit: 10_000), place)
            #expect(try await store.head(of: id) == model.head(of: id), place)
            let history = try await store.history(in: id, HistoryQuery(limit: 10_000))
            #expect(history.messages == model.plain(id).messagesWithReactions, place)
        }
        try await compareSends()
        let memberships = try await store.memberships(of: model.users.map(\.id))
        for user in model.users {
            let expected = model.threads.values.filter { $0.members[user.id] != nil }
            #expect(Set(memberships[user.id, default: []].map(\.thread.id)) == Set(expected.map(\.info.id)), place)
            for membership in memberships[user.id, default: []] {
                #expect(membership.role == model.threads[membership.thread.id]?.members[user.id]?.role, place)
            }
        }
        #expect(try await store.checkpoint(of: Partition(number: 3)) == model.checkpoint, place)
        #expect(try await database.rejects().count == model.rejects.count, place)
        // A run without the hard cases would prove little.
        let stored = model.threads.values.flatMap(\.log)
        #expect(stored.contains { $0.event.position.seq != $0.logSeq }, place)
        #expect(!model.rejects.isEmpty, place)
        for kind in LogEvent.Kind.allCases where kind != .message {
            #expect(stored.contains { EventFields($0.event.body)?.kind == kind }, "\(kind), \(place)")
        }
    }
}
