package import NIOCore
import ParleyJSON
package import ParleyModel

/// The direct dialect: JSON as in the Starscream and Node.js article, where users address users by name.
package enum DirectCodec {
    /// Reads `{"toUser","message"}`; other fields are ignored, a duplicate of these is malformed. `toUser` is an id or a
    /// name, or a number, which is read as `id:` and its digits.
    /// - Parameter payload: the payload of a text message.
    package static func decode(_ payload: ByteBuffer) throws(CommandError) -> ClientCommand {
        let fields: Fields
        do { fields = try Fields(payload) } catch { throw CommandError(error) }
        guard let toUser = fields.toUser else { throw .missing("toUser") }
        guard let text = fields.message else { throw .missing("message") }
        return .sendDirect(toUser: toUser, text: text)
    }

    /// The JSON sent to the two users; `nil` for anything but a message between two users.
    package static func encode(_ event: LogEvent) -> ByteBuffer? {
        guard let message = event.message, let recipient = message.recipient else { return nil }
        var writer = JSONWriter(capacity: 160 + message.text.utf8.count)
        writer.beginObject()
        writer.member("id", -1)
        writer.member("fromUser", message.sender.name)
        writer.member("toUser", recipient.name)
        writer.member("message", message.text)
        writer.member("time", CivilTime.rfc3339(milliseconds: event.milliseconds))
        writer.member("read", false)
        writer.endObject()
        return writer.buffer
    }

    /// The JSON that reports an unknown user name.
    package static func unknownUser(_ name: String) -> ByteBuffer {
        var writer = JSONWriter(capacity: 48 + name.utf8.count)
        writer.beginObject()
        writer.member("error", "unknown user")
        writer.member("toUser", name)
        writer.endObject()
        return writer.buffer
    }

    /// The fields of a client's frame.
    private struct Fields {
        var toUser: String?
        var message: String?

        init(_ payload: ByteBuffer) throws(JSONError) {
            var reader = JSONReader(Array(payload.readableBytesView))
            try reader.enterObject()
            while let key = try reader.nextKey() {
                switch key {
                case "toUser":
                    guard toUser == nil else { throw .duplicate(key) }
                    // A number is an id, even if a user has these digits as a name.
                    toUser = try reader.kind() == .number ? "id:\(reader.integer())" : reader.string()
                case "message":
                    guard message == nil else { throw .duplicate(key) }
                    message = try reader.string()
                default: try reader.skip()
                }
            }
            try reader.end()
        }
    }
}
