import ParleyJSON

extension LogEvent {
    /// The complete event as JSON text, which is stored with rejected events for operators.
    package var report: String {
        var members: [JSONTree.Member] = [
            .init("thread", .text(thread.text)), .init("epoch", .text(position.epoch.text)),
            .init("seq", .integer(position.seq)), .init("milliseconds", .integer(milliseconds)),
        ]
        func add(_ name: String, _ value: JSONTree?) {
            if let value { members.append(.init(name, value)) }
        }
        if let message {
            add("kind", .text(body.kind.rawValue))
            add("user_id", .text(message.sender.id.text))
            add("user_name", .text(message.sender.name))
            add("message_id", .text(message.id.text))
            add("client_id", message.clientID.map { .text($0) })
            add("text", .text(message.text))
            add("parts", message.parts.isEmpty ? nil : .array(message.parts.map(\.tree)))
            add("reply_to", message.replyTo.map { .integer($0) })
            add("recipient_id", message.recipient.map { .text($0.id.text) })
        }
        if let fields = EventFields(body) {
            add("kind", .text(fields.kind.rawValue))
            add("user_id", .text(fields.user.text))
            add("user_name", fields.userName.isEmpty ? nil : .text(fields.userName))
            add("by_id", fields.by.map { .text($0.text) })
            add("message_id", fields.messageID.map { .text($0.text) })
            add("message_seq", fields.messageSeq.map { .integer($0) })
            add("text", fields.text.map { .text($0) })
            add("on", fields.isOn.map { .bool($0) })
        }
        return JSONTree.object(members).canonical
    }
}
