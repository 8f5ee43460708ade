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
            case "id": try reader.read(key, into: &thread)
            case "text": try reader.read(key, into: &text)
            case "client_id": try reader.read(key, into: &clientID)
            case "ack": try reader.read(key, into: &level)
            case "reply_to": try reader.read(key, into: &replyTo)
            case "parts":
                if try reader.isNull() { continue }
                guard parts == nil else { throw V1CommandError(.duplicate(key)) }
                parts = try self.parts(try reader.tree(key))
            default: try reader.skip()
            }
        }
        guard let thread else { throw .missing("id", in: "message") }
        if let replyTo { try Self.check(replyTo, "reply_to", 1...Int64.max) }
        if let clientID, !Message.isValid(clientID: clientID) {
            throw .bad("client_id", "allowed are 1 to \(V1Limits.clientIDScalars) characters, no NUL")
        }
        guard text != nil || parts?.isEmpty == false else { throw .missing("text", in: "message") }
        guard let level = level.map(V1Send.Level.init(rawValue:)) ?? .accepted else {
            throw .bad("ack", "allowed are accepted, stored")
        }
        return V1Send(
            thread: thread, text: text ?? "", clientID: clientID, parts: parts ?? [], replyTo: replyTo, level: level)
    }

    private func parts(_ tree: JSONTree) throws(V1CommandError) -> [MessagePart] {
        do throws(InvalidMessagePart) {
            return try MessagePart.parts(tree)
        } catch {
            throw .bad(error.description)
        }
    }
}
