/// A requested change of an existing message.
package enum MessageChange: Hashable, Sendable {
    case edit(MessageID, text: String)
    case delete(MessageID)
    case react(MessageID, emoji: String, isOn: Bool)

    package var message: MessageID {
        switch self {
        case .edit(let message, _), .delete(let message), .react(let message, _, _): message
        }
    }
}
