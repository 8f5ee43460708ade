/// The entries of a thread's outbox, as they show on its messages. Built once for a page, so that a page costs as much
/// as it has messages and entries, not their product.
struct OutboxOverlay {
    let entries: [ClientOutboxEntry]
    /// Offsets of messages, by id.
    private var messages: [String: Int] = [:]
    /// Offsets of changes, by the local and the server's id of their messages.
    private var localChanges: [String: [Int]] = [:]
    private var changes: [String: [Int]] = [:]

    init(_ entries: [ClientOutboxEntry]) {
        self.entries = entries
        for (offset, entry) in entries.enumerated() {
            guard let target = entry.target else {
                messages[entry.id] = offset
                continue
            }
            localChanges[target.localID, default: []].append(offset)
            if let id = target.messageID { changes[id, default: []].append(offset) }
        }
    }

    /// Shows what concerns a message as if it was done.
    func apply(to message: inout ChatMessage, account: String?) {
        if let offset = messages[message.id] { message.state = entries[offset].state }
        let byID = message.messageID.flatMap { changes[$0] } ?? []
        let concerned = Set(localChanges[message.id] ?? []).union(byID)
        for offset in concerned.sorted() { Self.show(entries[offset], on: &message, account) }
    }

    /// The same for one message, for which an overlay of the thread's whole outbox is not worth building.
    static func apply(_ entries: [ClientOutboxEntry], to message: inout ChatMessage, account: String?) {
        for entry in entries {
            guard let target = entry.target else {
                if entry.id == message.id { message.state = entry.state }
                continue
            }
            guard target.localID == message.id || (target.messageID != nil && target.messageID == message.messageID)
            else { continue }
            show(entry, on: &message, account)
        }
    }

    private static func show(_ entry: ClientOutboxEntry, on message: inout ChatMessage, _ account: String?) {
        if let failure = entry.failure {
            message.pendingChange = .failed(reason: failure.error)
            return
        }
        switch entry.content {
        case .message: break
        case .edit(_, let text):
            message.text = text
            message.pendingChange = .edit
        case .deletion: message.pendingChange = .deletion
        case .reaction(_, let emoji, let isOn): message.react(emoji, by: account ?? "", isOn: isOn)
        }
    }
}

extension ChatMessage {
    /// Shows a reaction that is on its way.
    fileprivate mutating func react(_ emoji: String, by user: String, isOn: Bool) {
        guard let seq, let messageID else { return }
        var stored = StoredMessage(
            thread: threadID, seq: seq, id: messageID, clientID: nil, senderID: senderID, senderName: senderName,
            text: "", milliseconds: 0)
        stored.reactions = reactions
        stored.react(emoji, by: user, isOn: isOn)
        reactions = stored.reactions
    }
}
