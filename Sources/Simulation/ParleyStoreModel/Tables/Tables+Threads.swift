package import ParleyModel
import ParleyStorage

extension Tables {
    // MARK: Threads

    /// The number of rows of a deleted thread per table that a transaction removes.
    static let removedAtOnce = 2000

    /// The public room of a title.
    func room(titled title: String) -> ThreadRow? { threadsByTitle[ByteText(title)].flatMap { threads[$0] } }

    /// Rows of a deleted thread of an id must be gone before another can be created.
    /// - Throws: `unavailable` if there are too many to remove them in the transaction that creates it.
    func checkRemains(of id: ThreadID) throws(StoreError) {
        guard cleanups[.thread(id)] != nil, let log = logs[id] else { return }
        let reactions = log.reactions.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } }
        guard max(log.messages.count, log.events.count, reactions) <= Self.removedAtOnce else {
            throw .unavailable("rows of a deleted thread of this id are still there")
        }
    }

    /// Inserts a row for which `checkRemains` was called. Before that, the rest of a deleted thread of the id is removed,
    /// whether or not there is a conflict.
    /// - Returns: whether the id, and the title of a public room, were free.
    mutating func insertThread(_ row: ThreadRow) -> Bool {
        if cleanups.removeValue(forKey: .thread(row.id)) != nil { _ = removeRows(of: row.id) }
        guard threads[row.id] == nil else { return false }
        if let title = row.publicTitle {
            guard threadsByTitle[title] == nil else { return false }
            threadsByTitle[title] = row.id
        }
        threads[row.id] = row
        return true
    }

    mutating func setTitle(_ title: String, of id: ThreadID) {
        guard let row = threads[id], row.kind != .direct else { return }
        update(id) { $0.title = title }
    }

    mutating func setVisibility(_ visibility: RoomVisibility, of id: ThreadID) {
        update(id) { $0.visibility = visibility }
    }

    mutating func setHistory(_ history: RoomHistory, of id: ThreadID) {
        update(id) { $0.history = history }
    }

    private mutating func update(_ id: ThreadID, _ change: (inout ThreadRow) -> Void) {
        guard var row = threads[id] else { return }
        if let old = row.publicTitle { threadsByTitle[old] = nil }
        change(&row)
        if let new = row.publicTitle { threadsByTitle[new] = id }
        threads[id] = row
    }

    mutating func deleteThread(_ id: ThreadID) {
        guard let row = threads.removeValue(forKey: id) else { return }
        if let title = row.publicTitle { threadsByTitle[title] = nil }
        forgetRejects { $0.thread == id }
        for user in (members[id] ?? [:]).keys { deleteMember(user, of: id) }
        members[id] = nil
        for place in restrictions.keys where place.thread == id { restrictions[place] = nil }
        endSanctions { $0.thread == id }
        links[id] = nil
        endEntrances(of: id)
        endUses(.picture(of: id))
        for message in logs[id]?.messages ?? [] { forgetLaterSend(message, in: id) }
        logs[id]?.removeRepeats()
        if logs[id]?.isEmpty == true { logs[id] = nil }
    }

    /// Removes rows of a deleted thread, up to a limit for each table.
    /// - Returns: whether some may be left.
    mutating func removeRows(of id: ThreadID) -> Bool {
        let limit = Self.removedAtOnce
        let messages = logs[id]?.removeMessages(limit: limit) ?? []
        for message in messages {
            if let key = message.clientID.map({ SendKey(sender: message.sender, clientID: $0) }) {
                sends[key]?.first = nil
                if sends[key]?.later.isEmpty == true { sends[key] = nil }
            }
            forgetLaterSend(message, in: id)
            if message.parts != nil { endUses(AttachmentUse(thread: id, message: message.id)) }
        }
        let events = logs[id]?.removeEvents(limit: limit) ?? 0
        let reactions = logs[id]?.removeReactions(limit: limit) ?? 0
        if logs[id]?.isEmpty == true { logs[id] = nil }
        return [messages.count, events, reactions].contains(limit)
    }

    // MARK: Members

    func member(_ user: UserID, of thread: ThreadID) -> MemberRow? { members[thread]?[user] }
    func isMember(_ user: UserID, of thread: ThreadID) -> Bool { members[thread]?[user] != nil }

    /// The threads of a user in the byte order of their ids.
    func threads(of user: UserID) -> [ThreadID] {
        (threadsByMember[user] ?? []).sorted { $0.text < $1.text }
    }

    /// - Returns: whether the thread exists and the user was not a member.
    @discardableResult
    mutating func insertMember(_ user: UserID, of thread: ThreadID, _ row: MemberRow) -> Bool {
        guard threads[thread] != nil, users[user] != nil, members[thread]?[user] == nil else { return false }
        members[thread, default: [:]][user] = row
        threadsByMember[user, default: []].insert(thread)
        restrictions[MemberPlace(user: user, thread: thread)] = nil
        endEntrances(at: MemberPlace(user: user, thread: thread))
        raise(user)
        return true
    }

    /// Makes a user a member whose cursor is at the end of what is stored.
    @discardableResult
    mutating func insertMember(
        _ user: UserID, of thread: ThreadID, _ role: Membership.Role, at milliseconds: Int64
    ) -> Bool {
        guard let head = threads[thread] else { return false }
        return insertMember(
            user, of: thread,
            MemberRow(role: role, readSeq: head.headSeq, readN: head.headN, joined: milliseconds))
    }

    mutating func setRole(_ role: Membership.Role, of user: UserID, in thread: ThreadID) {
        guard let row = member(user, of: thread), row.role != role else { return }
        members[thread]?[user]?.role = role
        raise(user)
    }

    func start(of user: UserID, in thread: ThreadID) -> HistoryStart? {
        member(user, of: thread).flatMap { HistoryStart(stored: $0.visibleFrom) }
    }

    mutating func setStart(_ value: Int64, of user: UserID, in thread: ThreadID) {
        guard let row = member(user, of: thread), row.visibleFrom != value else { return }
        members[thread]?[user]?.visibleFrom = value
        raise(user)
    }

    mutating func deleteMember(_ user: UserID, of thread: ThreadID) {
        guard let row = members[thread]?.removeValue(forKey: user) else { return }
        threadsByMember[user]?.remove(thread)
        threadNotifications[MemberPlace(user: user, thread: thread)] = nil
        raise(user)
        // Neither a deleted thread nor an erased user keeps any.
        guard row.role == .readOnly, threads[thread] != nil, isPresent(user) else { return }
        restrictions[MemberPlace(user: user, thread: thread), default: .none].isReadOnly = true
    }

    // MARK: Sanctions

    package func sanctions(of user: UserID, in thread: ThreadID) -> Sanctions {
        let rows = sanctions[MemberPlace(user: user, thread: thread)] ?? [:]
        return Sanctions(mute: rows[.mute]?.sanction, ban: rows[.ban]?.sanction)
    }

    func isBanned(_ user: UserID, from thread: ThreadID, at now: Int64) -> Bool {
        sanctions(of: user, in: thread).ban?.isInForce(at: now) == true
    }

    mutating func putSanction(_ row: SanctionRow, on user: UserID, in thread: ThreadID) {
        guard threads[thread] != nil, users[user] != nil else { return }
        sanctions[MemberPlace(user: user, thread: thread), default: [:]][row.sanction.kind] = row
        if row.sanction.kind == .ban { refuseEntrances(at: MemberPlace(user: user, thread: thread)) }
        raise(user)
    }

    mutating func endSanction(_ kind: Sanction.Kind, of user: UserID, in thread: ThreadID) {
        let place = MemberPlace(user: user, thread: thread)
        guard sanctions[place]?.removeValue(forKey: kind) != nil else { return }
        if sanctions[place]?.isEmpty == true { sanctions[place] = nil }
        raise(user)
    }

    mutating func endSanctions(where matches: (MemberPlace) -> Bool) {
        for place in sanctions.keys where matches(place) {
            sanctions[place] = nil
            raise(place.user)
        }
    }

    // MARK: Sends

    mutating func noteSend(_ message: MessageRow, in thread: ThreadID) {
        let place = SendRow.Place(thread: thread, seq: message.seq)
        if let clientID = message.clientID {
            sends[SendKey(sender: message.sender, clientID: clientID), default: SendRow()].first = place
        }
        guard let clientID = message.laterClientID else { return }
        let key = SendKey(sender: message.sender, clientID: clientID)
        sends[key, default: SendRow()].later.append(place)
        sends[key]?.later.sort { ($0.thread.text, $0.seq) < ($1.thread.text, $1.seq) }
    }

    /// Removes the row of a message in `later_sends`.
    mutating func forgetLaterSend(_ message: MessageRow, in thread: ThreadID) {
        guard let clientID = message.laterClientID else { return }
        let key = SendKey(sender: message.sender, clientID: clientID)
        sends[key]?.later.removeAll { $0.thread == thread && $0.seq == message.seq }
        if let row = sends[key], row.first == nil, row.later.isEmpty { sends[key] = nil }
    }

    /// The stored uses of a `client_id`, the first use first.
    func uses(of key: SendKey) -> [StoredUse] {
        guard let row = sends[key] else { return [] }
        return ((row.first.map { [$0] } ?? []) + row.later).compactMap { place in
            logs[place.thread]?.message(at: place.seq).map {
                StoredUse($0, in: place.thread, threadExists: threads[place.thread] != nil)
            }
        }
    }
}

extension StoredUse {
    fileprivate init(_ row: MessageRow, in thread: ThreadID, threadExists: Bool) {
        let receipt = Receipt(
            thread: thread, position: Position(epoch: Epoch(row.epoch), seq: row.seq),
            milliseconds: row.milliseconds, messageID: row.id, isRepeat: true)
        self.init(
            receipt: receipt, text: row.firstText ?? row.text, parts: row.parts, replyTo: row.replyTo,
            isGone: row.isGone, digest: row.isGone ? row.digest : nil, threadExists: threadExists)
    }
}

extension ThreadRow {
    /// The title, which no other public room has; `nil` for a thread that is not one.
    fileprivate var publicTitle: ByteText? { visibility == .public ? title.map(ByteText.init) : nil }
}
