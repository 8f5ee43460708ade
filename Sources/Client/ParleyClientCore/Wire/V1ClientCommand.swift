import ParleyJSON

/// A frame of the client: a command of the v1 dialect (docs/PROTOCOL.md), or a message of the classic dialect.
package enum V1ClientCommand: Sendable {
    /// A message. The classic dialect uses only its thread and text.
    package struct Message: Hashable, Sendable {
        package var thread: String
        package var text: String
        package var clientID: String?
        package var parts: [ChatPart] = []
        /// The `seq` of the message that this message replies to.
        package var replyTo: Int?
        /// Whether the ack `stored` is requested too.
        package var wantsStored = false

        package init(thread: String, text: String, clientID: String? = nil, wantsStored: Bool = false) {
            self.thread = thread
            self.text = text
            self.clientID = clientID
            self.wantsStored = wantsStored
        }
    }

    case message(Message)
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

    /// Returns the JSON of the frame.
    package func json(ref: Int64?) -> [UInt8] {
        var writer = JSONWriter(capacity: 192)
        writer.object { writer in
            write(to: &writer)
            if let ref { writer.member("ref", ref) }
        }
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .message(let message): writer.key("message", object: message.write)
        case .edit(let thread, let message, let text):
            writer.key("edit") { writer in
                writer.member("id", thread)
                writer.member("message_id", message)
                writer.member("text", text)
            }
        case .delete(let thread, let message):
            writer.key("delete") { writer in
                writer.member("id", thread)
                writer.member("message_id", message)
            }
        case .react(let thread, let message, let emoji, let isOn):
            writer.key("react") { writer in
                writer.member("id", thread)
                writer.member("message_id", message)
                writer.member("emoji", emoji)
                writer.member("on", isOn)
            }
        case .read(let thread, let seq):
            writer.key("read") { writer in
                writer.member("id", thread)
                writer.member("seq", Int64(seq))
            }
        case .typing(let thread, let isOn):
            writer.key("typing") { writer in
                writer.member("id", thread)
                writer.member("on", isOn)
            }
        case .resume(let positions):
            writer.key("resume") { writer in writer.key("threads") { Self.write(positions, to: &$0) } }
        case .history(let thread, let before, let after, let limit):
            writer.key("history") { writer in
                writer.member("id", thread)
                if let before { writer.member("before", Int64(before)) }
                if let after { writer.member("after", Int64(after)) }
                writer.member("limit", Int64(limit))
            }
        case .watch(let users):
            writer.key("watch") { writer in
                writer.key("users")
                writer.array(users) { $0.string($1) }
            }
        case .auth(let token): writer.key("auth") { $0.member("token", token) }
        case .ping(let number): writer.member("ping", number)
        }
    }

    private static func write(_ positions: [(thread: String, epoch: String, seq: Int)], to writer: inout JSONWriter) {
        for position in positions {
            writer.key(escaping: position.thread)
            writer.object { writer in
                writer.member("epoch", position.epoch)
                writer.member("seq", Int64(position.seq))
            }
        }
    }
}

extension V1ClientCommand.Message {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("id", thread)
        if !text.isEmpty || parts.isEmpty { writer.member("text", text) }
        if let clientID { writer.member("client_id", clientID) }
        if !parts.isEmpty {
            writer.key("parts")
            writer.array(parts) { $0.tree($1.json) }
        }
        if let replyTo { writer.member("reply_to", Int64(replyTo)) }
        if wantsStored { writer.member("ack", "stored") }
    }
}

extension JSONWriter {
    /// Writes a member whose value is an object.
    fileprivate mutating func key(_ name: StaticString, object members: (inout JSONWriter) -> Void) {
        key(name)
        object(members)
    }
}
