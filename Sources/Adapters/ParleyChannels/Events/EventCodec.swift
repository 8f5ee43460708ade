package import ParleyModel

/// Encodes events into payloads and decodes them, with or without encryption.
package struct EventCodec: Sendable {
    /// The content of a payload.
    package enum Content: Hashable, Sendable {
        case event(LogEvent)
        /// An event of a channel layer that does not belong to a log.
        case other(ChannelsValue)
    }

    private let codec: ChannelsCodec

    package init(_ settings: ChannelsSettings) {
        codec = ChannelsCodec(settings)
    }

    /// Whether payloads are encrypted. Nothing can be inserted into a token, so the position is sent beside it; see
    /// `PlacedToken`.
    package var encrypts: Bool { codec.fernet != nil }

    /// Decodes a payload.
    /// - Throws: The errors of `ChannelsCodec.decodeEvent`, and `outOfRange`.
    package func read(_ payload: [UInt8]) throws(ChannelsCodecError) -> Content {
        if encrypts, let placed = try PlacedToken(payload) {
            let value = try codec.decodeEvent(placed.token)
            return try EventPayload.event(value, at: placed.place).map { .event($0) } ?? .other(value)
        }
        let value = try codec.decodeEvent(payload)
        return try EventPayload.event(value).map { .event($0) } ?? .other(value)
    }

    /// Returns the payload of a draft for an `AppendScript`: everything before the position, or the token that follows it.
    /// - Parameter seconds: The Unix time written into the token.
    package func beginning(of draft: EventDraft, seconds: Int64) throws(ChannelsCodecError) -> [UInt8] {
        guard let fernet = codec.fernet else { return EventPayload.beginning(of: draft, codec.serializer) }
        let event = LogEvent(
            thread: draft.thread, position: Position(epoch: Epoch(""), seq: 0), milliseconds: 0, messageCount: 0,
            body: draft.body, origin: draft.origin, wantsStored: draft.wantsStored, outboxID: draft.outboxID,
            isKnownToDjango: draft.isKnownToDjango)
        return try fernet.encrypt(EventPayload.bytes(of: event, codec.serializer), seconds: seconds)
    }

    /// Returns the payload of an event, as Django's consumers read it.
    /// - Parameter seconds: The Unix time written into the token.
    package func bytes(of event: LogEvent, seconds: Int64) throws(ChannelsCodecError) -> [UInt8] {
        let plain = EventPayload.bytes(of: event, codec.serializer)
        return try codec.fernet?.encrypt(plain, seconds: seconds) ?? plain
    }

    /// Returns the payload of an event, as stored in the log.
    /// - Parameter seconds: The Unix time written into the token.
    package func entry(of event: LogEvent, seconds: Int64) throws(ChannelsCodecError) -> [UInt8] {
        let payload = try bytes(of: event, seconds: seconds)
        guard encrypts else { return payload }
        guard
            let place = PlacedToken.Place(
                position: event.position, milliseconds: event.milliseconds, messageCount: event.messageCount)
        else { throw .outOfRange }
        return place.prefix + payload
    }
}
