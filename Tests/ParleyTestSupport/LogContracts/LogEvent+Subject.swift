import ParleyModel

extension LogEvent.Body {
    /// The message that an event is about, without being one.
    var subject: MessageID? {
        switch self {
        case .edited(let edit): edit.messageID
        case .deleted(let deletion): deletion.messageID
        case .reaction(let reaction): reaction.messageID
        case .message, .joined, .left, .renamed, .role: nil
        }
    }
}
