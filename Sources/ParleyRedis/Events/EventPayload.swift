package import ParleyModel

/// A log event as it lies in Redis and travels to Django's consumers and to other nodes.
///
///     {"type": "chat.message",
///      "message": {"type": "message", "id", "text", "sender_id", "sender_name", "thread_id", "client_id"?,
///                  "parts"?, "reply_to"?, "epoch", "seq", "date_ms", "date"},
///      "parley": {"n", "origin"?, "stored"?, "recipient"?}}
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
        let own = Own(origin: draft.origin, wantsStored: draft.wantsStored, recipient: recipient(of: draft.body))
        var writer = EventWriter(serializer)
        open(draft.thread, draft.body, &writer)
        writer.key("epoch")
        let head = writer.takePiece()
        writer.close()
        openOwn(own, &writer)
        writer.key("n")
        let middle = writer.takePiece()
        closeOwn(own, &writer)
        return Pieces(head: head, middle: middle, tail: writer.takePiece())
    }

    /// A whole event.
    package static func bytes(of event: LogEvent, _ serializer: ChannelsSettings.Serializer) -> [UInt8] {
        let own = Own(origin: event.origin, wantsStored: event.wantsStored, recipient: recipient(of: event.body))
        var writer = EventWriter(serializer)
        open(event.thread, event.body, &writer)
        writer.field("epoch", event.position.epoch.text)
        writer.field("seq", event.position.seq)
        writer.field("date_ms", event.milliseconds)
        writer.field("date", event.milliseconds / 1000)
        writer.close()
        openOwn(own, &writer)
        writer.field("n", event.messageCount)
        closeOwn(own, &writer)
        return writer.takePiece()
    }

    private static func open(_ thread: ThreadID, _ body: LogEvent.Body, _ writer: inout EventWriter) {
        writer.open(3)
        if case .message(let message) = body {
            writer.field("type", messageType)
            writer.key("message")
            EventBody.open(message, in: thread, &writer)
        } else {
            writer.field("type", eventType)
            writer.key("event")
            EventBody.open(body, in: thread, &writer)
        }
    }

    /// What stands under `parley` besides `n`.
    private struct Own {
        let origin: ConnectionID?
        let wantsStored: Bool
        let recipient: User?

        var count: Int { [origin != nil, wantsStored, recipient != nil].count { $0 } }
    }

    private static func openOwn(_ own: Own, _ writer: inout EventWriter) {
        writer.key("parley")
        writer.open(1 + own.count)
    }

    private static func closeOwn(_ own: Own, _ writer: inout EventWriter) {
        if let origin = own.origin { writer.field("origin", origin.text) }
        if own.wantsStored { writer.field("stored", ChannelsValue.bool(true)) }
        if let recipient = own.recipient { writer.field("recipient", recipient) }
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
            let body = isMessage ? EventBody.message(content, own) : EventBody.other(content)
        else { return nil }
        return LogEvent(
            thread: thread, position: place.position, milliseconds: place.milliseconds,
            messageCount: place.messageCount, body: body, origin: own["origin"]?.text.flatMap { ConnectionID($0) },
            wantsStored: own["stored"]?.bool ?? false)
    }

    private static func place(_ content: ChannelsValue, _ own: ChannelsValue) -> PlacedToken.Place? {
        guard let epoch = content["epoch"]?.text, let seq = content["seq"]?.integer,
            let milliseconds = content["date_ms"]?.integer, let count = own["n"]?.integer
        else { return nil }
        return PlacedToken.Place(
            position: Position(epoch: Epoch(epoch), seq: seq), milliseconds: milliseconds, messageCount: count)
    }

    static func user(_ value: ChannelsValue) -> User? {
        guard let id = value["id"]?.text.flatMap({ UserID($0) }), let name = value["name"]?.text else { return nil }
        return User(id: id, name: name)
    }
}
