import ParleyModel

/// Messages by `seq`, in the state that the events after them have left.
extension [Int64: Message] {
    mutating func apply(_ event: LogEvent) {
        switch event.body {
        case .message(let message):
            self[event.position.seq] = message
        case .edited(let edit):
            guard let message = self[edit.messageSeq], !message.isDeleted else { return }
            self[edit.messageSeq] = message.with(edit.text, parts: message.parts)
            self[edit.messageSeq]?.status.editedMilliseconds = event.milliseconds
        case .deleted(let deletion):
            self[deletion.messageSeq] = self[deletion.messageSeq]?.with("", parts: [])
            self[deletion.messageSeq]?.status = MessageStatus(isDeleted: true)
        case .reaction(let reaction):
            guard let status = self[reaction.messageSeq]?.status, !status.isDeleted else { return }
            self[reaction.messageSeq]?.status.reactions = status.reactions.applying(reaction)
        case .joined, .left, .renamed, .role, .visibility:
            break
        }
    }
}

extension Message {
    fileprivate func with(_ text: String, parts: [MessagePart]) -> Message {
        Message(
            id: id, sender: sender, text: text, clientID: clientID, recipient: recipient, parts: parts,
            replyTo: replyTo, status: status)
    }
}

extension [ReactionCount] {
    fileprivate func applying(_ reaction: Reaction) -> [ReactionCount] {
        var users = Set(first { $0.emoji == reaction.emoji }?.users ?? [])
        if reaction.isOn { users.insert(reaction.user) } else { users.remove(reaction.user) }
        var counts = filter { $0.emoji != reaction.emoji }
        if !users.isEmpty {
            counts.append(
                ReactionCount(
                    emoji: reaction.emoji, count: Int64(users.count), users: users.sorted { $0.text < $1.text }))
        }
        return counts.sorted { $0.emoji < $1.emoji }
    }
}
