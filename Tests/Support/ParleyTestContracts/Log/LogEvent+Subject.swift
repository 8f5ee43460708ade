import ParleyModel

extension LogEvent.Body {
    /// The message that a non-message event refers to.
    var subject: MessageID? {
        switch self {
        case .edited(let edit): edit.messageID
        case .deleted(let deletion): deletion.messageID
        case .reaction(let reaction): reaction.messageID
        case .message, .joined, .left, .renamed, .role, .visibility: nil
        }
    }
}
