/// The entries of a thread's outbox, prepared to be shown on its messages. The overlay is built once per page, so the
/// cost of a page is proportional to its messages plus entries, not to their product.
struct OutboxOverlay {
    let entries: [ClientOutboxEntry]
    /// The offsets of messages, by ID.
    private var messages: [String: Int] = [:]
    /// The offsets of changes, by the local ID and the server's ID of their messages.
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

    /// Shows the pending changes of a message as completed.
    func apply(to message: inout ChatMessage, account: String?) {
        if let offset = messages[message.id.rawValue] { message.state = entries[offset].state }
        let byID = message.messageID.flatMap { changes[$0] } ?? []
        let concerned = Set(localChanges[message.id.rawValue] ?? []).union(byID)
        for offset in concerned.sorted() { Self.show(entries[offset], on: &message, account) }
    }

    /// Does the same for a single message, without an overlay of the thread's whole outbox.
    static func apply(_ entries: [ClientOutboxEntry], to message: inout ChatMessage, account: String?) {
        for entry in entries {
            guard let target = entry.target else {
                if entry.id == message.id.rawValue { message.state = entry.state }
                continue
            }
            guard
                target.localID == message.id.rawValue
                    || (target.messageID != nil && target.messageID == message.messageID)
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
    /// Shows a pending reaction.
    fileprivate mutating func react(_ emoji: String, by user: String, isOn: Bool) {
        guard let seq, let messageID else { return }
        var stored = StoredMessage(
            thread: threadID.rawValue, seq: seq, id: messageID, clientID: nil, senderID: senderID.rawValue,
            senderName: senderName, text: "", milliseconds: 0)
        stored.reactions = reactions
        stored.react(emoji, by: user, isOn: isOn)
        reactions = stored.reactions
    }
}
