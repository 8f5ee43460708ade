package import NIOCore
import ParleyJSON
import ParleyModel

/// Encodes a client's frames of the v1 dialect (PROTOCOL §3), as JSON without white space; the counterpart of
/// `V1Decoder`.
package enum V1ClientEncoder {
    /// The JSON of a command. Default values are omitted.
    package static func encode(_ request: V1Request) -> ByteBuffer {
        var writer = JSONWriter(capacity: 192 + Self.textBytes(request.command))
        writer.beginObject()
        write(request.command, to: &writer)
        if let ref = request.ref { writer.member("ref", ref) }
        writer.endObject()
        return writer.buffer
    }

    private static func textBytes(_ command: V1Command) -> Int {
        switch command {
        case .send(let send): send.text.utf8.count
        case .resume(let threads): threads.count * 80
        default: 0
        }
    }

    private static func write(_ command: V1Command, to writer: inout JSONWriter) {
        switch command {
        case .send(let send): write(send, to: &writer)
        case .edit(let thread, let message, let text):
            begin("edit", thread, &writer)
            writer.member("message_id", message.text)
            writer.member("text", text)
            writer.endObject()
        case .delete(let thread, let message):
            begin("delete", thread, &writer)
            writer.member("message_id", message.text)
            writer.endObject()
        case .react(let thread, let message, let emoji, let isOn):
            begin("react", thread, &writer)
            writer.member("message_id", message.text)
            writer.member("emoji", emoji)
            writer.member("on", isOn)
            writer.endObject()
        case .read(let thread, nil): writer.member("read", thread.text)
        case .read(let thread, let seq?):
            begin("read", thread, &writer)
            writer.member("seq", seq)
            writer.endObject()
        case .typing(let thread, let isOn):
            begin("typing", thread, &writer)
            writer.member("on", isOn)
            writer.endObject()
        case .resume(let positions): write(positions, to: &writer)
        case .history(let request): write(request, to: &writer)
        case .join(let title):
            writer.key("join")
            writer.beginObject()
            writer.member("title", title)
            writer.endObject()
        case .leave(let thread):
            begin("leave", thread, &writer)
            writer.endObject()
        case .watch(let users):
            writer.key("watch")
            writer.beginObject()
            writer.key("users")
            writer.beginArray()
            for user in users { writer.string(user.text) }
            writer.endArray()
            writer.endObject()
        case .authenticate(let token):
            writer.key("auth")
            writer.beginObject()
            writer.member("token", token)
            writer.endObject()
        case .ping(let number): writer.member("ping", number)
        }
    }

    /// Opens the object of a command about a thread.
    private static func begin(_ name: StaticString, _ thread: ThreadID, _ writer: inout JSONWriter) {
        writer.key(name)
        writer.beginObject()
        writer.member("id", thread.text)
    }

    private static func write(_ send: V1Send, to writer: inout JSONWriter) {
        begin("message", send.thread, &writer)
        if !send.text.isEmpty || send.parts.isEmpty { writer.member("text", send.text) }
        if let clientID = send.clientID { writer.member("client_id", clientID) }
        if !send.parts.isEmpty {
            writer.parts(send.parts)
        }
        if let replyTo = send.replyTo { writer.member("reply_to", replyTo) }
        if send.level != .accepted { writer.member("ack", send.level.rawValue) }
        writer.endObject()
    }

    private static func write(_ positions: [ThreadID: Position], to writer: inout JSONWriter) {
        writer.key("resume")
        writer.beginObject()
        writer.key("threads")
        writer.beginObject()
        for (thread, position) in positions.sorted(by: { $0.key.text < $1.key.text }) {
            writer.key(escaping: thread.text)
            writer.beginObject()
            writer.member("epoch", position.epoch.text)
            writer.member("seq", position.seq)
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
    }

    private static func write(_ request: V1HistoryRequest, to writer: inout JSONWriter) {
        begin("history", request.thread, &writer)
        if let before = request.before { writer.member("before", before) }
        if let after = request.after { writer.member("after", after) }
        if request.limit != V1Limits.historyDefault { writer.member("limit", request.limit) }
        writer.endObject()
    }
}
