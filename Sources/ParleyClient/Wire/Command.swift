import ParleyJSON

/// A frame of the client in the v1 dialect.
package enum Command: Sendable {
    case message(thread: String, clientID: String, draft: ChatDraft)
    case edit(thread: String, message: String, text: String)
    case delete(thread: String, message: String)
    case react(thread: String, message: String, emoji: String, isOn: Bool)
    case read(thread: String, seq: Int)
    case typing(thread: String, isOn: Bool)
    case resume([(thread: String, epoch: String, seq: Int)])
    case history(thread: String, before: Int?, after: Int?, limit: Int)
    case watch([String])
    case auth(token: String)
    case ping(Int64)

    /// The frame's text.
    package func frame(ref: Int64?) -> String {
        var members: [(String, JSONTree)] = [(name, body)]
        if let ref { members.append(("ref", .integer(ref))) }
        return JSONTree.ordered(members).canonical
    }

    private var name: String {
        switch self {
        case .message: "message"
        case .edit: "edit"
        case .delete: "delete"
        case .react: "react"
        case .read: "read"
        case .typing: "typing"
        case .resume: "resume"
        case .history: "history"
        case .watch: "watch"
        case .auth: "auth"
        case .ping: "ping"
        }
    }

    private var body: JSONTree {
        switch self {
        case .message(let thread, let clientID, let draft):
            var members: [(String, JSONTree)] = [
                ("id", .text(thread)), ("text", .text(draft.text)), ("client_id", .text(clientID)),
            ]
            if !draft.parts.isEmpty { members.append(("parts", .array(draft.parts.map(\.json)))) }
            if let seq = draft.replyTo { members.append(("reply_to", .integer(Int64(seq)))) }
            members.append(("ack", .text("stored")))
            return .ordered(members)
        case .edit(let thread, let message, let text):
            return .ordered([("id", .text(thread)), ("message_id", .text(message)), ("text", .text(text))])
        case .delete(let thread, let message):
            return .ordered([("id", .text(thread)), ("message_id", .text(message))])
        case .react(let thread, let message, let emoji, let isOn):
            return .ordered([
                ("id", .text(thread)), ("message_id", .text(message)), ("emoji", .text(emoji)), ("on", .bool(isOn)),
            ])
        case .read(let thread, let seq): return .ordered([("id", .text(thread)), ("seq", .integer(Int64(seq)))])
        case .typing(let thread, let isOn): return .ordered([("id", .text(thread)), ("on", .bool(isOn))])
        case .resume(let positions):
            let threads = positions.map { position in
                JSONTree.Member(
                    position.thread,
                    .ordered([("epoch", .text(position.epoch)), ("seq", .integer(Int64(position.seq)))]))
            }
            return .ordered([("threads", .object(threads))])
        case .history(let thread, let before, let after, let limit):
            var members: [(String, JSONTree)] = [("id", .text(thread))]
            if let before { members.append(("before", .integer(Int64(before)))) }
            if let after { members.append(("after", .integer(Int64(after)))) }
            members.append(("limit", .integer(Int64(limit))))
            return .ordered(members)
        case .watch(let users): return .ordered([("users", .array(users.map { .text($0) }))])
        case .auth(let token): return .ordered([("token", .text(token))])
        case .ping(let number): return .integer(number)
        }
    }
}
