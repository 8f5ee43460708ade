package import NIOCore
import ParleyJSON
package import ParleyModel

/// The classic dialect: JSON as in the Django Channels and iOS tutorial.
package enum ClassicCodec {
    /// Reads `{"message":{"id","text"}}` or `{"read":"<thread>"}`; other fields are ignored.
    ///
    /// Two commands in one frame, or a duplicate field, are malformed, since they are ambiguous.
    /// - Parameter payload: the payload of a text message.
    package static func decode(_ payload: ByteBuffer) throws(CommandError) -> ClientCommand {
        let fields: Fields
        do { fields = try Fields(payload) } catch { throw CommandError(error) }
        return try fields.command()
    }

    /// The JSON sent to members; `nil` for anything but a message, which this dialect does not represent.
    package static func encode(_ event: LogEvent) -> ByteBuffer? {
        guard let message = event.message else { return nil }
        // The fixed members, names and ids of a typical message take 260 bytes.
        var writer = JSONWriter(capacity: 320 + message.text.utf8.count)
        writer.beginObject()
        writer.classicMembers(of: message, event)
        writer.endObject()
        return writer.buffer
    }

    /// The fields of a client's frame.
    private struct Fields {
        private struct Message {
            var id: String?
            var text: String?
        }

        private var message: Message?
        private var read: String?
        private var firstUnknown: String?

        init(_ payload: ByteBuffer) throws(JSONError) {
            var reader = JSONReader(Array(payload.readableBytesView))
            try reader.enterObject()
            while let key = try reader.nextKey() {
                switch key {
                case "message":
                    guard message == nil else { throw .duplicate(key) }
                    message = try Self.message(&reader)
                case "read":
                    guard read == nil else { throw .duplicate(key) }
                    read = try reader.string()
                default:
                    firstUnknown = firstUnknown ?? key
                    try reader.skip()
                }
            }
            try reader.end()
        }

        private static func message(_ reader: inout JSONReader) throws(JSONError) -> Message {
            var message = Message()
            try reader.enterObject()
            while let key = try reader.nextKey() {
                switch key {
                case "id":
                    guard message.id == nil else { throw .duplicate(key) }
                    message.id = try reader.string()
                case "text":
                    guard message.text == nil else { throw .duplicate(key) }
                    message.text = try reader.string()
                default: try reader.skip()
                }
            }
            return message
        }

        func command() throws(CommandError) -> ClientCommand {
            switch (message, read) {
            case (let message?, nil):
                guard let id = message.id else { throw .missing("id") }
                guard let text = message.text else { throw .missing("text") }
                guard let thread = ThreadID(id) else { throw .badThread }
                return .send(thread: thread, text: text)
            case (nil, let id?):
                guard let thread = ThreadID(id) else { throw .badThread }
                return .read(thread)
            case (_?, _?):
                throw .malformed("two commands in one frame; one is allowed")
            case (nil, nil):
                guard let firstUnknown else { throw .malformed("no command; \"message\" or \"read\" is expected") }
                throw .unknown(firstUnknown)
            }
        }
    }
}

extension JSONWriter {
    /// Writes the members of a message, without the braces.
    /// - Parameter event: the event of the message.
    mutating func classicMembers(of message: Message, _ event: LogEvent) {
        member("id", message.id.text)
        member("date", CivilTime.seconds(milliseconds: event.milliseconds))
        member("text", message.text)
        member("sender_id", message.sender.id.text)
        member("sender_name", message.sender.name)
        member("thread_id", event.thread.text)
        member("seq", event.position.seq)
        member("epoch", event.position.epoch.text)
        member("date_ms", event.milliseconds)
        if let name = message.senderDisplayName { member("sender_display_name", name) }
        if let clientID = message.clientID { member("client_id", clientID) }
        member("type", "message")
    }
}
