package import ParleyModel
package import ParleyStorage

/// A transaction that changes state: loads facts, and executes what was decided from them. Transactions run one by one, so
/// rows that were read stay valid.
///
/// Owns the tables while the transaction runs, so that they are changed in place. Whatever can be refused is refused before
/// the first change.
package final class StateTransaction: StateFacts {
    /// The maximum number of memberships ended in one transaction.
    static let membershipsAtOnce = 200

    var tables: Tables
    let context: TransactionContext
    /// The room that the decision's execution creates.
    private var newRoom: ThreadRow?

    private init(_ tables: Tables, _ context: TransactionContext) {
        self.tables = tables
        self.context = context
    }

    static func run<Value>(
        on tables: inout Tables, _ context: TransactionContext, _ body: (StateTransaction) throws -> Value
    ) rethrows -> Value {
        let transaction = StateTransaction(Tables(), context)
        swap(&tables, &transaction.tables)
        defer { swap(&tables, &transaction.tables) }
        return try body(transaction)
    }

    // MARK: Facts

    package func members(
        of thread: ThreadID, requester: UserID, subject: UserID?, isSubjectHeld: Bool
    ) -> MemberFacts {
        var roles = MemberRoles(thread: nil, requester: nil, subject: nil)
        if let row = tables.threads[thread] {
            roles = MemberRoles(
                thread: tables.info(of: row), requester: tables.member(requester, of: thread)?.role,
                subject: subject.flatMap { tables.member($0, of: thread)?.role },
                restrictions: subject.flatMap { tables.restrictions[MemberPlace(user: $0, thread: thread)] } ?? .none,
                sanctions: subject.map { tables.sanctions(of: $0, in: thread) } ?? .none, history: row.history,
                start: subject.flatMap { tables.start(of: $0, in: thread) }, options: row.details.options,
                isBlocked: subject.map { tables.isBlocked(requester, $0) } ?? false)
        }
        return MemberFacts(
            roles: roles, isSubjectPresent: isSubjectHeld && subject.map { tables.isPresent($0) } == true)
    }

    package func room(_ new: NewRoom, for user: UserID, at milliseconds: Int64) throws -> RoomFacts {
        try tables.checkRemains(of: new.id)
        let own = tables.memberships(of: user, inRoomsTitled: new.title)
        let found = StateRules.entered(own, or: tables.room(titled: new.title)?.info)
        if found == nil {
            guard tables.threads[new.id] == nil else { throw StoreError.taken }
            newRoom = ThreadRow(new)
        }
        let room = found ?? new.info
        let facts = members(of: room.id, requester: user, subject: user, isSubjectHeld: true)
        return RoomFacts(
            room: room, isNew: found == nil,
            isUserPresent: facts.isSubjectPresent, role: facts.roles.subject,
            restrictions: facts.roles.restrictions, sanctions: facts.roles.sanctions, history: facts.roles.history,
            start: facts.roles.start, options: facts.roles.options)
    }

    package func entrance(
        of thread: ThreadID, requester: UserID, subject: UserID, at now: Int64
    ) -> EntranceFacts {
        tables.entrance(
            of: thread, subject: subject, at: now,
            members(of: thread, requester: requester, subject: subject, isSubjectHeld: true))
    }

    package func group(_ thread: ThreadID, by maker: UserID, of users: [UserID]) throws -> GroupFacts {
        try tables.checkRemains(of: thread)
        return GroupFacts(
            isFree: tables.threads[thread] == nil, present: Set(users.filter { tables.isPresent($0) }),
            blocked: Set(users.filter { tables.isBlocked(maker, $0) }))
    }

    package func details(of thread: ThreadID) -> RoomDetails { tables.threads[thread]?.details ?? RoomDetails() }

    package func picture(_ id: AttachmentID, of owner: UserID) -> Attachment? {
        tables.usable(id).map(\.attachment).flatMap { $0.owner == owner && $0.isComplete ? $0 : nil }
    }

    package func deletion(of thread: ThreadID) -> DeletionFacts {
        DeletionFacts(
            members: (tables.members[thread] ?? [:]).keys.sorted { $0.text < $1.text },
            epoch: tables.threads[thread]?.epoch ?? "")
    }

    // MARK: Facts of an erasure

    package func erasure(of user: UserID) -> (isKnown: Bool, memberships: [HeldMembership]) {
        (tables.users[user] != nil, memberships(of: user))
    }

    package func memberships(of user: UserID) -> [HeldMembership] {
        tables.threads(of: user).prefix(Self.membershipsAtOnce).compactMap { id in
            tables.threads[id].map { HeldMembership(thread: id, kind: $0.kind) }
        }
    }

    package func sentMessages(
        of user: UserID, withClientIDAfter clientID: String?, limit: Int
    ) -> [SentMessage] {
        tables.named(by: user, after: clientID, limit: limit).map { SentMessage($0.row, in: $0.thread) }
    }

    package func sentMessages(
        of user: UserID, withoutClientIDAfter last: SentMessage?, limit: Int
    ) -> [SentMessage] {
        tables.unnamed(by: user, after: last.map { ($0.thread, $0.seq) }, limit: limit)
            .map { SentMessage($0.row, in: $0.thread) }
    }

    package func clientIDs(of user: UserID, limit: Int) -> [String] {
        let first = sentMessages(of: user, withClientIDAfter: nil, limit: limit).compactMap(\.clientID)
        let later = tables.sent(by: user).compactMap(\.row.laterClientID)
        let distinct = Set(later.map { ByteText($0) }).sorted().prefix(limit)
        return Set(first.map { ByteText($0) } + distinct).sorted().map(\.text)
    }

    package func threads(among threads: [ThreadID], withEntry content: OutboxEntry.Content) -> Set<ThreadID> {
        let (wanted, stored) = (Set(threads), content.stored)
        let rows = tables.outbox.filter {
            wanted.contains($0.thread) && $0.kind == stored.kind && $0.payload == stored.payload
        }
        return Set(rows.map(\.thread))
    }

    // MARK: Changes whose rows are found and changed at once

    package func renameEvents(of user: UserID, to name: String, limit: Int) -> [ThreadID] {
        change(of: user, limit: limit) { row in
            row.fields.user == user && !row.fields.userName.isEmpty && row.fields.userName != name
        } _: {
            $0.fields.userName = name
        }
    }

    package func eraseReactions(of user: UserID, limit: Int) -> [ThreadID] {
        var made: [(thread: ThreadID, seq: Int64, emoji: String)] = []
        for id in tables.logThreads(of: user) {
            for row in tables.logs[id]?.events ?? [] where made.count < limit && Self.isReaction(row, of: user) {
                made.append((id, row.fields.messageSeq ?? 0, row.fields.text ?? ""))
            }
        }
        for (thread, seq, emoji) in made { tables.logs[thread]?.unreact(user, emoji, to: seq) }
        return change(of: user, limit: limit) {
            Self.isReaction($0, of: user)
        } _: {
            ($0.fields.text, $0.fields.isOn) = ("", false)
        }
    }

    private static func isReaction(_ row: EventRow, of user: UserID) -> Bool {
        row.fields.kind == .reaction && row.fields.user == user && row.fields.text?.isEmpty == false
    }

    /// Changes the first events of a user that match, in the order of thread and seq.
    /// - Returns: the thread of each changed event.
    private func change(
        of user: UserID, limit: Int, where matches: (EventRow) -> Bool, _ change: (inout EventRow) -> Void
    ) -> [ThreadID] {
        var threads: [ThreadID] = []
        for id in tables.logThreads(of: user) where threads.count < limit {
            let count = tables.logs[id]?.updateEvents(limit: limit - threads.count, where: matches, change) ?? 0
            threads += Array(repeating: id, count: count)
        }
        return threads
    }

    package func forgetClientIDs(_ clientIDs: [String], of user: UserID) {
        for clientID in clientIDs { tables.forgetSend(SendKey(sender: user, clientID: clientID)) }
    }

    // MARK: Execution

    /// Executes a decision.
    /// - Parameter isOverdue: whether only persisters relay the entries.
    /// - Throws: `taken`, without any change.
    func execute<Value>(_ decision: StateDecision<Value>, isOverdue: Bool = false) throws -> StateChange<Value> {
        try checkTitles(of: decision.changes)
        if let newRoom { _ = tables.insertThread(newRoom) }
        for change in decision.changes { execute(change) }
        let created = isOverdue ? 0 : context.now
        let entries = decision.outbox.map { tables.addToOutbox($0, created: created) }
        for case .addMember(let user, let thread, _, .sinceJoining, _) in decision.changes {
            guard let entry = entries.last(where: { $0.isJoining(thread) }) else { continue }
            tables.setStart(HistoryStart.pending + entry.id, of: user, in: thread)
        }
        return StateChange(decision.value, outbox: entries)
    }

    private func checkTitles(of changes: [TableChange]) throws(StoreError) {
        for change in changes {
            let after: ThreadInfo? =
                switch change {
                case .setTitle(let title, let thread): tables.threads[thread]?.info.with(title: title)
                case .setVisibility(let visibility, let thread):
                    tables.threads[thread]?.info.with(visibility: visibility)
                default: nil
                }
            guard let after, after.visibility == .public else { continue }
            if let other = tables.room(titled: after.title), other.id != after.id { throw .taken }
        }
    }

    private func execute(_ change: TableChange) {
        switch change {
        case .addMember(let user, let thread, let role, _, let milliseconds):
            tables.insertMember(user, of: thread, role, at: milliseconds)
        case .setRole(let user, let thread, let role): tables.setRole(role, of: user, in: thread)
        case .removeMember(let user, let thread): tables.deleteMember(user, of: thread)
        case .leave(let user, let threads): for thread in threads { tables.deleteMember(user, of: thread) }
        case .restrict(let user, let thread, let kind, _): restrict(user, in: thread, kind)
        case .sanction(let user, let thread, let sanction, let author, let milliseconds):
            tables.putSanction(
                SanctionRow(sanction: sanction, author: author, since: milliseconds), on: user, in: thread)
        case .endSanction(let kind, let user, let thread): tables.endSanction(kind, of: user, in: thread)
        case .addLink(let link, let code, let thread):
            guard tables.threads[thread] != nil else { return }
            tables.links[thread, default: [:]][link.id] = LinkRow(link: link, code: code)
        case .removeLinks(let links, let thread): for link in links { tables.links[thread]?[link] = nil }
        case .useLink(let link, let thread, let now): tables.useLink(link, of: thread, at: now)
        case .entrance(let row, let user, let thread):
            tables.execute(row, of: user, in: thread)
        case .createGroup(let thread, let title, _):
            _ = tables.insertThread(ThreadRow(id: thread, title: title, pair: nil, isGroup: true))
        case .setTitle(let title, let thread): tables.setTitle(title, of: thread)
        case .setVisibility(let visibility, let thread): tables.setVisibility(visibility, of: thread)
        case .setHistory(let history, let thread): tables.setHistory(history, of: thread)
        case .setRoom(let details, let thread): tables.setRoom(details, of: thread)
        case .setPicture(let picture, let thread): tables.setPicture(picture, of: thread, at: context.now)
        case .endEpoch(let epoch, let thread): tables.deletedEpochs[thread, default: []].insert(epoch)
        case .deleteThread(let thread):
            tables.deleteThread(thread)
            begin(.thread(thread))
        case .audit(let note): tables.note(note, at: context.now)
        case .eraseUser(let user, let milliseconds, let actor):
            tables.noteErasure(of: user, at: milliseconds, by: actor)
            erase(user, at: milliseconds)
        case .eraseMessages(let messages, _):
            for message in messages { tables.erase(message.seq, in: message.thread, context.contentKey) }
        case .eraseRejects(let user):
            let mark = Array("\"user_id\":\"\(user)\"".utf8)
            tables.forgetRejects { $0.bytes.contains(mark) }
        }
    }

    private func restrict(_ user: UserID, in thread: ThreadID, _ kind: Restrictions.Kind) {
        guard tables.isPresent(user), tables.threads[thread] != nil else { return }
        let place = MemberPlace(user: user, thread: thread)
        switch kind {
        case .removed: tables.restrictions[place, default: .none].isRemoved = true
        case .readOnly: tables.restrictions[place, default: .none].isReadOnly = true
        }
    }

    /// A repeated erasure keeps the first date.
    private func erase(_ user: UserID, at milliseconds: Int64) {
        tables.updateUser(user) { row in
            row.name = User.erased(user).name
            (row.passwordHash, row.displayName, row.avatarURL, row.operatorSince) = (nil, nil, nil, nil)
            row.suspension = nil
            row.looks = []
            row.erased = row.erased ?? milliseconds
        }
        tables.forgetRejects { $0.user == user }
        tables.removeUnseen { $0.message.id.user == user }
        _ = tables.deleteSessions(of: user, except: nil)
        begin(.user(user))
    }

    private func begin(_ cleanup: Cleanup.Subject) {
        if tables.cleanups[cleanup] == nil { tables.cleanups[cleanup] = context.now }
    }
}

extension SentMessage {
    fileprivate init(_ row: MessageRow, in thread: ThreadID) {
        self.init(thread: thread, seq: row.seq, id: row.id, clientID: row.clientID, isErased: row.isErased)
    }
}
