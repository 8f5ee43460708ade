import Foundation

/// The content of collections: the cache with the outbox applied to it.
extension Engine {
    /// Returns the content of a window; `nil` if the window is closed.
    func content(of id: Int) -> WindowContent? {
        guard let window = windows[id] else { return nil }
        let overlay = OutboxOverlay(core.outbox.entries(in: window.thread))
        let end = window.high ?? core.threads[window.thread]?.seq ?? 0
        let stored = try? storage.messages(
            in: window.thread, from: window.low, to: end, limit: configuration.windowLimit, newest: true)
        var messages: [ChatMessage] = []
        var seen: [String: Int] = [:]
        for stored in stored ?? [] {
            var message = ChatMessage(stored, account: core.accountID)
            // While the database is unavailable, the server may accept one send twice; it is shown once.
            let name = stored.clientID.map { "\(stored.senderID)/\($0)" } ?? stored.id
            if let index = seen[name] {
                if messages[index].text == message.text || message.isDeleted { continue }
                message.id = ChatMessage.ID(stored.id)
            }
            seen[name] = messages.count
            overlay.apply(to: &message, account: core.accountID)
            messages.append(message)
        }
        if (stored?.count ?? 0) >= configuration.windowLimit, let first = stored?.first, first.seq > window.low {
            windows[id]?.low = first.seq
        }
        let low = windows[id]?.low ?? window.low
        if window.high == nil { messages += pending(overlay, after: messages) }
        let notices = try? storage.notices(in: window.thread, from: low, to: end, limit: configuration.windowLimit)
        return WindowContent(
            messages: messages, hasOlder: low > 1, hasNewer: window.high != nil, notices: notices ?? [])
    }

    /// Returns the messages of the outbox that the log has not delivered yet, as the user sees them.
    private func pending(_ overlay: OutboxOverlay, after visible: [ChatMessage]) -> [ChatMessage] {
        let known = Set(visible.map(\.id.rawValue))
        return overlay.entries.compactMap { entry in
            guard !known.contains(entry.id), var message = shown(entry) else { return nil }
            overlay.apply(to: &message, account: core.accountID)
            return message
        }
    }

    private func files(of entry: ClientOutboxEntry) -> [ChatPart] {
        entry.files.enumerated().map { index, file in file.shown(url: stage.url(of: entry.id, index)) }
    }

    /// Returns a message of the outbox; `nil` for a change.
    func shown(_ entry: ClientOutboxEntry) -> ChatMessage? {
        guard case .message(let draft) = entry.content else { return nil }
        let milliseconds = entry.receipt?.milliseconds ?? entry.milliseconds
        return ChatMessage(
            id: ChatMessage.ID(entry.id), threadID: ChatThread.ID(entry.thread), seq: entry.receipt?.seq,
            messageID: entry.receipt?.messageID,
            clientID: entry.id, senderID: core.account?.id ?? "", senderName: core.account?.username ?? "",
            text: draft.text, parts: draft.parts + files(of: entry), replyTo: draft.replyTo,
            date: Date(milliseconds: milliseconds),
            editedAt: nil, isDeleted: false, isErased: false, reactions: [], state: entry.state, pendingChange: nil)
    }

    /// Returns the user's threads, most recent activity first.
    func threadList() -> [ChatThread] {
        core.threads.values.sorted { ($1.activity, $0.id) < ($0.activity, $1.id) }.map { shown($0) }
    }

    func thread(_ id: String) -> ChatThread? { core.threads[id].map { shown($0) } }

    private func shown(_ record: ThreadRecord) -> ChatThread {
        ChatThread(
            id: ChatThread.ID(record.id), title: record.title, kind: record.kind, visibility: record.visibility,
            role: record.role, unread: record.unread, readSeq: record.readSeq, headSeq: max(record.seq, record.target),
            lastMessage: lastMessage(record.id),
            lastActivity: Date(milliseconds: record.activity),
            typing: (core.ephemeral.typists[record.id] ?? []).map(\.user), receipts: record.receipts,
            mute: core.mute(of: record, at: now).map { ChatMute($0) }, room: ChatRoom(record.room),
            slowUntil: core.slow.waits[record.id].map { Date(milliseconds: $0.milliseconds) })
    }

    private func lastMessage(_ thread: String) -> ChatMessage? {
        if previews[thread] == nil { previews[thread] = try? storage.newestMessage(in: thread) }
        let last = previews[thread].map { ChatMessage($0, account: core.accountID) }
        if let entry = core.outbox.newestMessage(in: thread, except: last?.id.rawValue) { return shown(entry) }
        guard var last else { return nil }
        OutboxOverlay.apply(core.outbox.entries(in: thread), to: &last, account: core.accountID)
        return last
    }
}

extension ClientOutboxEntry {
    /// The state of a message as shown to the user.
    var state: MessageState {
        if let failure { return .failed(reason: failure.error, retryable: failure.isRetryable) }
        if isStored { return .stored }
        return receipt == nil ? .pending : .accepted
    }
}

extension ChatMessage {
    /// Creates a message from the cache.
    package init(_ stored: StoredMessage, account: String?) {
        let isOwn = stored.senderID == account
        self.init(
            id: ID(isOwn ? stored.clientID ?? stored.id : stored.id), threadID: ChatThread.ID(stored.thread),
            seq: stored.seq, messageID: stored.id, clientID: stored.clientID, senderID: ChatUser.ID(stored.senderID),
            senderName: stored.senderName, senderDisplayName: stored.senderDisplayName, text: stored.text,
            parts: stored.parts, replyTo: stored.replyTo,
            date: Date(milliseconds: stored.milliseconds),
            editedAt: stored.editedMilliseconds.map { Date(milliseconds: $0) }, isDeleted: stored.isDeleted,
            isErased: stored.isErased, reactions: stored.reactions, state: .stored, pendingChange: nil)
    }
}
