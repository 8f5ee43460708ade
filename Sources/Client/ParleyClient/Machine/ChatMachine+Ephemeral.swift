import Foundation

/// Read marks, typing and presence.
extension ChatMachine {
    // MARK: Read marks

    /// Moves the user's read cursor. The position is stored until the server acknowledges it.
    mutating func markRead(_ id: String, seq: Int) {
        guard var record = threads[id] else { return }
        let seq = min(seq, max(record.seq, record.target))
        guard seq != record.readSeq || record.pendingRead != nil else { return }
        record.readSeq = seq
        record.pendingRead = seq
        if seq >= record.seq { record.unread = 0 } else { act(.countUnread(thread: id, seq: seq)) }
        threads[id] = record
        note(record: id)
        sendRead(id)
    }

    mutating func sendRead(_ id: String) {
        guard isGreeted, readGate == nil, let record = threads[id], !record.isReadInFlight,
            let seq = record.pendingRead
        else { return }
        threads[id]?.isReadInFlight = true
        transmit(.read(thread: id, seq: seq), for: .read(id, seq: seq))
    }

    /// Sends the read marks that the server has not acknowledged.
    mutating func sendReads() {
        for id in threads.values.filter({ $0.pendingRead != nil }).map(\.id).sorted() { sendRead(id) }
    }

    mutating func acknowledgedRead(_ id: String, seq: Int) {
        guard let record = threads[id] else { return }
        threads[id]?.isReadInFlight = false
        if record.pendingRead == seq {
            threads[id]?.pendingRead = nil
            note(record: id)
        } else {
            sendRead(id)
        }
    }

    mutating func receivedRead(thread id: String, user: String, seq: Int, date: Int64) {
        guard var record = threads[id] else { return }
        if user == accountID {
            guard record.pendingRead == nil, record.readSeq != seq else { return }
            record.readSeq = seq
            if seq >= record.seq { record.unread = 0 } else { act(.countUnread(thread: id, seq: seq)) }
        } else {
            let user = ChatUser.ID(user)
            guard record.receipts[user] != nil || record.receipts.count < ThreadRecord.maximumReceipts else { return }
            record.receipts[user] = ReadReceipt(seq: seq, date: Date(timeIntervalSince1970: Double(date)))
        }
        threads[id] = record
        note(record: id)
    }

    mutating func unreadCounted(_ id: String, seq: Int, count: Int) {
        guard let record = threads[id], record.readSeq == seq, record.unread != count else { return }
        threads[id]?.unread = count
        note(record: id)
    }

    // MARK: Typing and presence

    mutating func sendTyping(_ thread: String, isOn: Bool) {
        guard isGreeted, let record = threads[thread], record.isOpenForWriting,
            mute(of: record, at: now) == nil
        else { return }
        if ephemeral.mayType(thread: thread, isOn: isOn, at: now.uptime) {
            transmit(.typing(thread: thread, isOn: isOn))
        }
    }

    mutating func receivedTyping(thread: String, user: String, name: String, isOn: Bool) {
        guard threads[thread] != nil, user != accountID else { return }
        if isOn {
            ephemeral.startTyping(thread: thread, user: ChatUser(id: ChatUser.ID(user), username: name), at: now.uptime)
        } else {
            _ = ephemeral.stopTyping(thread: thread, user: user)
        }
        note(list: thread)
    }

    mutating func watch(_ users: [String]) {
        ephemeral.watch(users)
        if isGreeted { transmit(.watch(users), for: .other) }
        notePresence()
    }

    mutating func receivedPresence(user: String, isOnline: Bool, lastSeen: Int64?) {
        let date = lastSeen.map { Date(timeIntervalSince1970: Double($0)) }
        ephemeral.set(ChatPresence(isOnline: isOnline, lastSeen: date), for: ChatUser.ID(user))
        notePresence()
    }

    // MARK: Profiles

    /// Shows the messages of a user under another name.
    mutating func received(_ user: ChatUser) {
        ephemeral.changed(user)
        let name = user.displayName == user.username ? nil : user.displayName
        store(.rename(user: user.id.rawValue, displayName: name))
        noteProfiles()
        for thread in threads.keys { note(messages: thread) }
    }
}
