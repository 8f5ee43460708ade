package import ParleyModel

/// A log event as it lies in Redis and travels to Django's consumers and to other nodes.
///
///     {"type": "chat.message",
///      "message": {"type": "message", "id", "text", "sender_id", "sender_name", "thread_id", "client_id"?,
///                  "epoch", "seq", "date_ms", "date"},
///      "parley": {"n", "origin"?, "recipient"?}}
///
/// `message` is what clients see (PROTOCOL.md); `parley` is what nodes need besides, where a consumer ignores it. All
/// other events have the type `parley.event`, their content under `event`, and another channel.
package enum EventPayload {
    /// The type of a message: a Django consumer has `chat_message` for it. Never made from what a client sends.
    package static var messageType: String { "chat.message" }
    package static var eventType: String { "parley.event" }

    /// What is known of an event before it has its place; see `RedisScript.append`, which fills the gaps.
    package struct Pieces: Hashable, Sendable {
        /// Up to and including the name `epoch`. Its value and the fields `seq`, `date_ms`, `date` follow.
        package let head: [UInt8]
        /// Up to and including the name `n`, whose value follows.
        package let middle: [UInt8]
        package let tail: [UInt8]
    }

    /// A draft with gaps for its place.
    package static func pieces(of draft: EventDraft, _ serializer: ChannelsSettings.Serializer) -> Pieces {
        var writer = EventWriter(serializer)
        open(draft.thread, draft.body, &writer)
        writer.key("epoch")
        let head = writer.takePiece()
        writer.close()
        openOwn(draft.body, draft.origin, &writer)
        writer.key("n")
        let middle = writer.takePiece()
        closeOwn(draft.body, draft.origin, &writer)
        return Pieces(head: head, middle: middle, tail: writer.takePiece())
    }

    /// A whole event.
    package static func bytes(of event: LogEvent, _ serializer: ChannelsSettings.Serializer) -> [UInt8] {
        var writer = EventWriter(serializer)
        open(event.thread, event.body, &writer)
        writer.field("epoch", event.position.epoch.text)
        writer.field("seq", event.position.seq)
        writer.field("date_ms", event.milliseconds)
        writer.field("date", event.milliseconds / 1000)
        writer.close()
        openOwn(event.body, event.origin, &writer)
        writer.field("n", event.messageCount)
        closeOwn(event.body, event.origin, &writer)
        return writer.takePiece()
    }

    private static func open(_ thread: ThreadID, _ body: LogEvent.Body, _ writer: inout EventWriter) {
        writer.open(3)
        switch body {
        case .message(let message):
            writer.field("type", messageType)
            writer.key("message")
            writer.open(message.clientID == nil ? 10 : 11)
            writer.field("type", "message")
            writer.field("id", message.id.text)
            writer.field("text", message.text)
            writer.field("sender_id", message.sender.id.text)
            writer.field("sender_name", message.sender.name)
            writer.field("thread_id", thread.text)
            if let clientID = message.clientID { writer.field("client_id", clientID) }
        case .joined(let user, _):
            writer.field("type", eventType)
            writer.key("event")
            writer.open(8)
            writer.field("type", "joined")
            writer.field("user_id", user.id.text)
            writer.field("user_name", user.name)
            writer.field("thread_id", thread.text)
        case .edited, .deleted, .reaction, .left, .renamed, .role:
            writer.field("type", eventType)
            writer.key("event")
            writer.open(6)
            writer.field("type", "unknown")
            writer.field("thread_id", thread.text)
        }
    }

    private static func openOwn(_ body: LogEvent.Body, _ origin: ConnectionID?, _ writer: inout EventWriter) {
        writer.key("parley")
        writer.open(1 + (origin == nil ? 0 : 1) + (recipient(of: body) == nil ? 0 : 1))
    }

    private static func closeOwn(_ body: LogEvent.Body, _ origin: ConnectionID?, _ writer: inout EventWriter) {
        if let origin { writer.field("origin", origin.text) }
        if let recipient = recipient(of: body) { writer.field("recipient", recipient) }
        writer.close()
        writer.close()
    }

    private static func recipient(of body: LogEvent.Body) -> User? {
        if case .message(let message) = body { message.recipient } else { nil }
    }

    // MARK: Reading

    /// The event of a payload; `nil` if it is none of ours, such as what Django itself has sent.
    package static func event(_ value: ChannelsValue) -> LogEvent? {
        event(value, at: nil)
    }

    /// - Parameter place: stands beside the payload, if it is not in it.
    static func event(_ value: ChannelsValue, at place: PlacedToken.Place?) -> LogEvent? {
        let isMessage = value["type"]?.text == messageType
        guard isMessage || value["type"]?.text == eventType,
            let content = value[isMessage ? "message" : "event"], let own = value["parley"],
            let thread = content["thread_id"]?.text.flatMap({ ThreadID($0) }),
            let place = place ?? self.place(content, own),
            let body = isMessage ? message(content, own) : joined(content)
        else { return nil }
        return LogEvent(
            thread: thread, position: place.position, milliseconds: place.milliseconds,
            messageCount: place.messageCount, body: body, origin: own["origin"]?.text.flatMap { ConnectionID($0) })
    }

    private static func place(_ content: ChannelsValue, _ own: ChannelsValue) -> PlacedToken.Place? {
        guard let epoch = content["epoch"]?.text, let seq = content["seq"]?.integer,
            let milliseconds = content["date_ms"]?.integer, let count = own["n"]?.integer
        else { return nil }
        return PlacedToken.Place(
            position: Position(epoch: Epoch(epoch), seq: seq), milliseconds: milliseconds, messageCount: count)
    }

    private static func message(_ content: ChannelsValue, _ own: ChannelsValue) -> LogEvent.Body? {
        guard let id = content["id"]?.text.flatMap({ MessageID($0) }), let text = content["text"]?.text,
            let sender = content["sender_id"]?.text.flatMap({ UserID($0) }), let name = content["sender_name"]?.text
        else { return nil }
        return .message(
            Message(
                id: id, sender: User(id: sender, name: name), text: text, clientID: content["client_id"]?.text,
                recipient: own["recipient"].flatMap(user)))
    }

    private static func joined(_ content: ChannelsValue) -> LogEvent.Body? {
        guard content["type"]?.text == "joined", let id = content["user_id"]?.text.flatMap({ UserID($0) }),
            let name = content["user_name"]?.text
        else { return nil }
        return .joined(User(id: id, name: name))
    }

    static func user(_ value: ChannelsValue) -> User? {
        guard let id = value["id"]?.text.flatMap({ UserID($0) }), let name = value["name"]?.text else { return nil }
        return User(id: id, name: name)
    }
}
