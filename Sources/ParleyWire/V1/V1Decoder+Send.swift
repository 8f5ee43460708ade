import ParleyJSON
import ParleyModel

/// Decoding of `message` commands.
extension V1Decoder {
    func send(_ reader: inout V1FieldReader) throws(V1CommandError) -> V1Send {
        var thread: ThreadID?
        var (text, clientID, level): (String?, String?, String?)
        var replyTo: Int64?
        var parts: [MessagePart]?
        try reader.enterObject("message")
        while let key = try reader.nextKey() {
            switch key {
            case "id": try reader.thread(key, into: &thread)
            case "text": try reader.string(key, into: &text)
            case "client_id": try reader.string(key, into: &clientID)
            case "ack": try reader.string(key, into: &level)
            case "reply_to": try reader.integer(key, into: &replyTo)
            case "parts":
                if try reader.isNull() { continue }
                guard parts == nil else { throw V1CommandError(.duplicate(key)) }
                parts = try self.parts(try reader.tree(key))
            default: try reader.skip()
            }
        }
        guard let thread else { throw .missing("id", in: "message") }
        try Self.check(replyTo, "reply_to", 1...Int64.max)
        if let clientID { try Self.check(clientID: clientID) }
        return V1Send(
            thread: thread, text: try self.text(text, isAlone: parts?.isEmpty ?? true), clientID: clientID,
            parts: parts ?? [], replyTo: replyTo, level: try Self.level(level))
    }

    /// - Parameter isAlone: whether the message has no parts and therefore needs a text.
    private func text(_ text: String?, isAlone: Bool) throws(V1CommandError) -> String {
        guard let text else {
            if isAlone { throw .missing("text", in: "message") }
            return ""
        }
        return text
    }

    private static func check(clientID: String) throws(V1CommandError) {
        guard Message.isValid(clientID: clientID) else {
            throw .bad("client_id", "allowed are 1 to \(V1Limits.clientIDScalars) characters, no NUL")
        }
    }

    private static func level(_ text: String?) throws(V1CommandError) -> V1Send.Level {
        guard let text else { return .accepted }
        guard let level = V1Send.Level(rawValue: text) else { throw .bad("ack", "allowed are accepted, stored") }
        return level
    }

    private func parts(_ tree: JSONTree) throws(V1CommandError) -> [MessagePart] {
        do throws(InvalidMessagePart) {
            return try MessagePart.parts(tree)
        } catch {
            throw .bad(error.description)
        }
    }
}
