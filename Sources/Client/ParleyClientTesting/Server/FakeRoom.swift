import ParleyClientCore
import ParleyJSON

/// A thread of a ``FakeChatServer``, as a value: its log, its members, and what clients get of both.
struct FakeRoom: Sendable {
    enum Change: Sendable {
        case message
        case edited(message: Int)
        case deleted(message: Int)
        case reaction(message: Int, user: String, emoji: String, isOn: Bool)
        case joined(ChatUser)
        case left(ChatUser)
        case renamed(String)
        case role(user: String, ChatRole)
        case visibility(ChatVisibility)
    }

    /// An event of the log. Its place in the log is its `seq` minus 1.
    private struct Entry {
        let milliseconds: Int64
        let by: String?
        let change: Change
    }

    let id: String
    var title: String
    let kind: ChatThreadKind
    var visibility: ChatVisibility
    /// The roles of the members, by user ID.
    var members: [String: ChatRole] = [:]
    var readSeqs: [String: Int] = [:]
    /// The mutes and bans by user ID, of members and others. Some may have ended.
    var sanctions: [String: [FakeSanction]] = [:]
    /// The invitations by user ID. Some may have expired.
    var invitations: [String: FakeInvitation] = [:]
    var options = FakeOptions()
    /// The dates of the users' newest messages, which slow mode counts from.
    var sentAt: [String: Int64] = [:]
    private var entries: [Entry] = []
    /// The messages in their current state, by `seq`.
    private(set) var messages: [Int: StoredMessage] = [:]

    init(id: String, title: String, kind: ChatThreadKind, visibility: ChatVisibility) {
        self.id = id
        self.title = title
        self.kind = kind
        self.visibility = kind == .room ? visibility : .private
    }

    /// Returns whether the thread appears not to exist to a user.
    func isHidden(from user: String) -> Bool { visibility == .private && members[user] == nil }

    /// The newest `seq`; 0 if the log is empty.
    var head: Int { entries.count }
    private var epoch: String { entries.isEmpty ? "" : "e1" }
    var lastActivity: Int64 { entries.last?.milliseconds ?? 0 }

    func message(named id: String) -> StoredMessage? { messages.values.first { $0.id == id } }

    // MARK: Appending

    /// Appends a message.
    /// - Returns: Its `seq`.
    mutating func append(_ draft: FakeDraft, by sender: ChatUser, at milliseconds: Int64) -> Int {
        entries.append(Entry(milliseconds: milliseconds, by: nil, change: .message))
        var message = StoredMessage(
            thread: id, seq: head, id: "\(id)-\(head)", clientID: draft.clientID, senderID: sender.id.rawValue,
            senderName: sender.username, text: draft.text, milliseconds: milliseconds)
        message.senderDisplayName = sender.displayName == sender.username ? nil : sender.displayName
        message.parts = draft.parts
        message.replyTo = draft.replyTo
        messages[head] = message
        readSeqs[sender.id.rawValue] = head
        sentAt[sender.id.rawValue] = milliseconds
        return head
    }

    /// Appends an event that is not a message, and changes the message that it names.
    mutating func append(_ change: Change, by user: String?, text: String = "", at milliseconds: Int64) {
        entries.append(Entry(milliseconds: milliseconds, by: user, change: change))
        switch change {
        case .edited(let seq):
            messages[seq]?.text = text
            messages[seq]?.editedMilliseconds = milliseconds
        case .deleted(let seq): messages[seq]?.delete()
        case .reaction(let seq, let user, let emoji, let isOn): messages[seq]?.react(emoji, by: user, isOn: isOn)
        case .renamed(let title): self.title = title
        case .visibility(let visibility): self.visibility = visibility
        case .message, .joined, .left, .role: break
        }
    }

    // MARK: What clients get

    /// The description of the thread for a member.
    /// - Parameters:
    ///   - name: The title that this member sees.
    ///   - mute: The member's mute, if it is in force.
    ///   - isBlocked: Whether one of the two users of a direct thread blocks the other.
    func described(for user: String, title name: String, mute: FakeSanction?, isBlocked: Bool) -> JSONTree {
        let readSeq = readSeqs[user] ?? 0
        let unread = messages.values.count { $0.seq > readSeq && $0.senderID != user && !$0.isDeleted }
        let tree = JSONTree.object([
            "id": .text(id), "title": .text(name), "kind": .text(kind.rawValue),
            "visibility": .text(visibility.rawValue), "role": .text((members[user] ?? .member).rawValue),
            "epoch": .text(epoch), "seq": .integer(Int64(head)), "unread": .integer(Int64(unread)),
            "read_seq": .integer(Int64(readSeq)),
            "last_message": messages.keys.max().flatMap { json(ofMessage: $0) }, "mute": mute?.shown,
        ])
        return .object(tree.pairs + options.shown(isBlocked: isBlocked).pairs)
    }

    /// An event as it is read back: messages and edits in their current state.
    func event(_ seq: Int) -> JSONTree? {
        guard entries.indices.contains(seq - 1) else { return nil }
        let entry = entries[seq - 1]
        var members: [JSONTree.Member] = []
        func add(_ type: String, _ more: KeyValuePairs<String, JSONTree>) {
            members = [JSONTree.Member("type", .text(type))] + more.map { JSONTree.Member($0.key, $0.value) }
        }
        func target(_ seq: Int) -> JSONTree { .integer(Int64(seq)) }
        func name(_ seq: Int) -> JSONTree { .text(messages[seq]?.id ?? "") }
        switch entry.change {
        case .message:
            guard case .members(let message)? = json(ofMessage: seq) else { return nil }
            return .object([JSONTree.Member("type", .text("message"))] + message)
        case .edited(let seq):
            let text = messages[seq]?.text ?? ""
            add("edited", ["message_id": name(seq), "message_seq": target(seq), "text": .text(text)])
        case .deleted(let seq): add("deleted", ["message_id": name(seq), "message_seq": target(seq)])
        case .reaction(let seq, let user, let emoji, let isOn):
            add(
                "reaction",
                [
                    "message_id": name(seq), "message_seq": target(seq), "user_id": .text(user),
                    "emoji": .text(emoji), "on": .bool(isOn),
                ])
        case .joined(let user):
            add("joined", ["user_id": .text(user.id.rawValue), "username": .text(user.username)])
        case .left(let user): add("left", ["user_id": .text(user.id.rawValue), "username": .text(user.username)])
        case .renamed(let title): add("renamed", ["title": .text(title)])
        case .role(let user, let role): add("role", ["user_id": .text(user), "role": .text(role.rawValue)])
        case .visibility(let visibility): add("visibility", ["visibility": .text(visibility.rawValue)])
        }
        if let by = entry.by { members.append(.init("by_id", .text(by))) }
        return .object(members + place(of: seq))
    }

    /// A message in its current state, without a `type`.
    func json(ofMessage seq: Int) -> JSONTree? {
        guard let message = messages[seq] else { return nil }
        let content = JSONTree.object([
            "id": .text(message.id), "text": .text(message.text), "sender_id": .text(message.senderID),
            "sender_name": .text(message.senderName),
            "sender_display_name": message.senderDisplayName.map { .text($0) },
            "client_id": message.clientID.map { .text($0) },
            "parts": message.parts.isEmpty ? nil : .array(message.parts.map(\.json)),
            "reply_to": message.replyTo.map { .integer(Int64($0)) },
            "edited_ms": message.editedMilliseconds.map { .integer($0) },
            "deleted": message.isDeleted ? .bool(true) : nil,
            "reactions": message.reactions.isEmpty ? nil : .array(message.reactions.map(\.json)),
        ])
        return .object(content.pairs + place(of: seq))
    }

    private func place(of seq: Int) -> [JSONTree.Member] {
        let milliseconds = entries[seq - 1].milliseconds
        return [
            .init("thread_id", .text(id)), .init("epoch", .text(epoch)), .init("seq", .integer(Int64(seq))),
            .init("date", .integer(milliseconds / 1000)), .init("date_ms", .integer(milliseconds)),
        ]
    }

    /// The fields of an ack for an event.
    func ack(_ seq: Int) -> [JSONTree.Member] { place(of: seq) }

    /// A page of the log. The bounds are exclusive; with `after`, the page begins at it, and otherwise ends at the end.
    func page(before: Int?, after: Int?, limit: Int) -> [JSONTree.Member] {
        var from = min(max(0, after ?? 0), head) + 1
        var to = min(head, (before ?? head + 1) - 1)
        let limit = min(max(1, limit), 200)
        if to - from + 1 > limit {
            if after != nil { to = from + limit - 1 } else { from = to - limit + 1 }
        }
        let events = to < from ? [] : (from...to).compactMap { event($0) }
        return [
            .init("thread_id", .text(id)), .init("epoch", .text(epoch)), .init("events", .array(events)),
            .init("has_more_before", .bool(from > 1)), .init("has_more_after", .bool(to < head)),
            .init("head_seq", .integer(Int64(head))),
        ]
    }

    /// The answer to a client that has everything up to `seq`, and the events that it misses.
    func resumption(after seq: Int) -> (result: JSONTree, missing: [JSONTree]) {
        let state = seq > head ? "rolled_back" : seq < head ? "replayed" : "live"
        let from = min(seq, head) + 1
        let missing = seq < head ? (from...head).compactMap { event($0) } : []
        let result = JSONTree.object([
            "state": .text(state), "epoch": .text(epoch), "from": .integer(Int64(from)),
            "to": .integer(Int64(max(seq, head))),
        ])
        return (result, missing)
    }
}

/// The content of a send.
struct FakeDraft: Hashable, Sendable {
    var text: String
    var parts: [ChatPart] = []
    var replyTo: Int?
    var clientID: String?
}
