import NIOCore
import ParleyModel

/// What a client sends as a message.
extension V1Decoder {
    func send(_ reader: inout V1FieldReader) throws(V1Flaw) -> V1Send {
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
                guard parts == nil else { throw V1Flaw(.duplicate(key)) }
                parts = try self.parts(&reader)
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

    /// - Parameter isAlone: the message has no parts, so it needs a text.
    private func text(_ text: String?, isAlone: Bool) throws(V1Flaw) -> String {
        guard let text else {
            if isAlone { throw .missing("text", in: "message") }
            return ""
        }
        if let flaw = MessageText.flaw(in: text, limit: textScalars), flaw != .empty || isAlone { throw V1Flaw(flaw) }
        return text
    }

    private static func check(clientID: String) throws(V1Flaw) {
        let count = clientID.unicodeScalars.count
        guard (1...V1Limits.clientIDScalars).contains(count), !clientID.utf8.contains(0) else {
            throw .bad("client_id", "allowed are 1 to \(V1Limits.clientIDScalars) characters, no NUL")
        }
    }

    private static func level(_ text: String?) throws(V1Flaw) -> V1Send.Level {
        guard let text else { return .accepted }
        guard let level = V1Send.Level(rawValue: text) else { throw .bad("ack", "allowed are accepted, stored") }
        return level
    }

    // MARK: Parts

    private func parts(_ reader: inout V1FieldReader) throws(V1Flaw) -> [MessagePart] {
        var parts: [MessagePart] = []
        try reader.enterArray("parts")
        while try reader.nextElement() {
            guard parts.count < MessagePart.maximumCount else {
                throw .bad("parts", "allowed are at most \(MessagePart.maximumCount)")
            }
            parts.append(try part(&reader))
        }
        if let flaw = MessagePart.flaw(in: parts, textScalars: textScalars) { throw .bad("parts", flaw) }
        return parts
    }

    private func part(_ reader: inout V1FieldReader) throws(V1Flaw) -> MessagePart {
        var (type, url, name): (String?, String?, String?)
        var (size, width, height, duration): (Int64?, Int64?, Int64?, Int64?)
        var content: ByteBuffer?
        try reader.enterObject("parts")
        while let key = try reader.nextKey() {
            switch key {
            case "type": try reader.string(key, into: &type)
            case "url": try reader.string(key, into: &url)
            case "name": try reader.string(key, into: &name)
            case "size": try reader.integer(key, into: &size)
            case "width": try reader.integer(key, into: &width)
            case "height": try reader.integer(key, into: &height)
            case "duration_ms": try reader.integer(key, into: &duration)
            case "content":
                if try reader.isNull() { continue }
                guard content == nil else { throw V1Flaw(.duplicate(key)) }
                content = try reader.raw()
            default: try reader.skip()
            }
        }
        switch type {
        case nil:
            throw .missing("type", in: "parts")
        case MessagePart.textType:
            return .text(try Self.text(content))
        case MessagePart.geoType:
            return .geo(json: try Self.json(content))
        case let type?:
            guard let url else { throw .missing("url", in: "parts") }
            return .media(
                MediaPart(
                    type: type, url: url, name: name, size: size, width: width, height: height,
                    durationMilliseconds: duration))
        }
    }

    private static func text(_ content: ByteBuffer?) throws(V1Flaw) -> String {
        guard let content else { throw .missing("content", in: "parts") }
        var reader = V1FieldReader(content)
        return try reader.string("content")
    }

    private static func json(_ content: ByteBuffer?) throws(V1Flaw) -> String {
        guard let content else { throw .missing("content", in: "parts") }
        do {
            return try JSONWriter.compacted(content)
        } catch {
            throw V1Flaw(error)
        }
    }
}
