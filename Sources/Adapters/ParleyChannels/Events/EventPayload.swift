package import ParleyModel

/// A log event as stored in Redis and sent to Django's consumers and other nodes.
///
///     {"type": "chat.message",
///      "parley": {"origin"?, "stored"?, "recipient"?, "outbox"?, "adopted"?},
///      "message": {"type": "message", "id", "text", "sender_id", "sender_name", "thread_id", "client_id"?,
///                  "parts"?, "reply_to"?, "sender_display_name"?, "epoch", "seq", "date_ms", "date"},
///      "n": …}
///
/// `message` is what clients receive (PROTOCOL.md). `parley`, omitted if empty, and `n`, the number of messages in the
/// thread, are for nodes; consumers ignore them. All other events have the type `parley.event`, their content under
/// `event`, and another channel. The fields from `epoch` on are the event's position, which Redis assigns: they come
/// last so that a script can append them.
package enum EventPayload {
    /// The type of a message, for which a Django consumer has the handler `chat_message`. Never derived from client
    /// input.
    package static var messageType: String { "chat.message" }
    package static var eventType: String { "parley.event" }

    /// Returns the payload of a draft, up to the name `epoch`.
    package static func beginning(of draft: EventDraft, _ serializer: ChannelsSettings.Serializer) -> [UInt8] {
        var writer = EventWriter(serializer)
        open(draft.thread, draft.body, Own(draft), &writer)
        writer.beginNext()
        return writer.bytes
    }

    /// Returns the payload of a numbered event.
    package static func bytes(of event: LogEvent, _ serializer: ChannelsSettings.Serializer) -> [UInt8] {
        var writer = EventWriter(serializer)
        open(event.thread, event.body, Own(event), &writer)
        writer.field("epoch", event.position.epoch.text)
        writer.field("seq", event.position.seq)
        writer.field("date_ms", event.milliseconds)
        writer.field("date", event.milliseconds / 1000)
        writer.close()
        writer.field("n", event.messageCount)
        writer.close()
        return writer.bytes
    }

    private static func open(_ thread: ThreadID, _ body: LogEvent.Body, _ own: Own, _ writer: inout EventWriter) {
        let isMessage = if case .message = body { true } else { false }
        writer.open(own.count == 0 ? 3 : 4)
        writer.field("type", isMessage ? messageType : eventType)
        if own.count > 0 {
            writer.key("parley")
            writer.open(own.count)
            if let origin = own.origin { writer.field("origin", origin.text) }
            if own.wantsStored { writer.field("stored", ChannelsValue.bool(true)) }
            if let recipient = own.recipient { writer.field("recipient", recipient) }
            if let outboxID = own.outboxID { writer.field("outbox", outboxID) }
            if own.isKnownToDjango { writer.field("adopted", ChannelsValue.bool(true)) }
            writer.close()
        }
        if case .message(let message) = body {
            writer.key("message")
            EventBody.open(message, in: thread, &writer)
        } else {
            writer.key("event")
            EventBody.open(body, in: thread, &writer)
        }
    }

    /// The fields under `parley`.
    private struct Own {
        let origin: ConnectionID?
        let wantsStored: Bool
        let recipient: User?
        let outboxID: Int64?
        let isKnownToDjango: Bool

        init(_ draft: EventDraft) {
            origin = draft.origin
            wantsStored = draft.wantsStored
            recipient = draft.message?.recipient
            outboxID = draft.outboxID
            isKnownToDjango = draft.isKnownToDjango
        }

        init(_ event: LogEvent) {
            origin = event.origin
            wantsStored = event.wantsStored
            recipient = event.message?.recipient
            outboxID = event.outboxID
            isKnownToDjango = event.isKnownToDjango
        }

        var count: Int {
            [origin != nil, wantsStored, recipient != nil, outboxID != nil, isKnownToDjango].count { $0 }
        }
    }

    // MARK: Read cursors

    /// Reads an event; `nil` for a payload that is not from a log, such as an event sent by Django.
    /// - Parameter place: The position sent beside the payload, if it is not within it.
    /// - Throws: `outOfRange`.
    package static func event(
        _ value: ChannelsValue, at place: PlacedToken.Place? = nil
    ) throws(ChannelsCodecError) -> LogEvent? {
        let isMessage = value["type"]?.text == messageType
        let own = value["parley"]
        guard isMessage || value["type"]?.text == eventType,
            let content = value[isMessage ? "message" : "event"],
            let thread = content["thread_id"]?.text.flatMap({ ThreadID($0) }),
            let place = try (place != nil ? place : self.place(content, value)),
            let body = isMessage ? EventBody.message(content, own) : EventBody.other(content)
        else { return nil }
        return LogEvent(
            thread: thread, position: place.position, milliseconds: place.milliseconds,
            messageCount: place.messageCount, body: body,
            origin: own?["origin"]?.text.flatMap { ConnectionID($0) }, wantsStored: own?["stored"]?.bool ?? false,
            outboxID: own?["outbox"]?.integer, isKnownToDjango: own?["adopted"]?.bool ?? false)
    }

    private static func place(
        _ content: ChannelsValue, _ value: ChannelsValue
    ) throws(ChannelsCodecError) -> PlacedToken.Place? {
        guard let epoch = content["epoch"]?.text, let seq = content["seq"]?.integer,
            let milliseconds = content["date_ms"]?.integer, let count = value["n"]?.integer
        else { return nil }
        let position = Position(epoch: Epoch(epoch), seq: seq)
        guard let place = PlacedToken.Place(position: position, milliseconds: milliseconds, messageCount: count) else {
            throw .outOfRange
        }
        return place
    }

    static func user(_ value: ChannelsValue) -> User? {
        guard let id = value["id"]?.text.flatMap({ UserID($0) }), let name = value["name"]?.text else { return nil }
        return User(id: id, name: name)
    }
}
