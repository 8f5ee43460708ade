import Foundation
import ParleyModel

/// An event that cannot be stored, as it is kept among the rejects: one JSON object, readable and complete.
struct RejectedEvent: Encodable {
    private let thread, epoch, kind, userID, userName: String
    private let seq, milliseconds: Int64
    private let messageID, clientID, text, recipientID, recipientName: String?

    init(_ event: LogEvent) {
        thread = event.thread.text
        epoch = event.position.epoch.text
        seq = event.position.seq
        milliseconds = event.milliseconds
        switch event.body {
        case .message(let message):
            kind = "message"
            userID = message.sender.id.text
            userName = message.sender.name
            messageID = message.id.text
            clientID = message.clientID
            text = message.text
            recipientID = message.recipient?.id.text
            recipientName = message.recipient?.name
        case .joined(let user, _):
            kind = "joined"
            userID = user.id.text
            userName = user.name
            (messageID, clientID, text, recipientID, recipientName) = (nil, nil, nil, nil, nil)
        case .edited, .deleted, .reaction, .left, .renamed, .role:
            (kind, userID, userName) = ("other", "", "")
            (messageID, clientID, text, recipientID, recipientName) = (nil, nil, nil, nil, nil)
        }
    }

    /// The JSON text.
    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        // Strings and integers always encode; an empty reject would still carry its reason.
        return (try? encoder.encode(self)).map(Array.init) ?? []
    }
}
