package import ParleyModel

/// Payloads of events to events and back, encrypted or not.
package struct EventCodec: Sendable {
    /// What a payload holds.
    package enum Content: Hashable, Sendable {
        case event(LogEvent)
        /// An event of a channel layer that is none of a log.
        case other(ChannelsValue)
    }

    /// A draft as a script of Redis takes it: what comes before, between and after the fields that are its place. Only
    /// the first piece if the layer encrypts: the token of the whole.
    package typealias Pieces = EventPayload.Pieces

    private let codec: ChannelsCodec

    package init(_ settings: ChannelsSettings) {
        codec = ChannelsCodec(settings)
    }

    /// Nothing can be filled into a token, so it travels beside its place; see `PlacedToken`.
    package var encrypts: Bool { codec.fernet != nil }

    /// - Throws: what `ChannelsCodec.decodeEvent` does.
    package func read(_ payload: [UInt8]) throws(ChannelsCodecError) -> Content {
        if encrypts, let placed = PlacedToken(payload) {
            let value = try codec.decodeEvent(placed.token)
            return EventPayload.event(value, at: placed.place).map { .event($0) } ?? .other(value)
        }
        let value = try codec.decodeEvent(payload)
        return EventPayload.event(value).map { .event($0) } ?? .other(value)
    }

    /// - Parameter seconds: Unix time, for the token.
    package func pieces(of draft: EventDraft, seconds: Int64) throws(ChannelsCodecError) -> Pieces {
        guard let fernet = codec.fernet else { return EventPayload.pieces(of: draft, codec.serializer) }
        let event = LogEvent(
            thread: draft.thread, position: Position(epoch: Epoch(""), seq: 0), milliseconds: 0, messageCount: 0,
            body: draft.body, origin: draft.origin)
        let plain = EventPayload.bytes(of: event, codec.serializer)
        return Pieces(head: try fernet.encrypt(plain, seconds: seconds), middle: [], tail: [])
    }

    /// A whole event, as Django's consumers read it.
    /// - Parameter seconds: Unix time, for the token.
    package func bytes(of event: LogEvent, seconds: Int64) throws(ChannelsCodecError) -> [UInt8] {
        let plain = EventPayload.bytes(of: event, codec.serializer)
        return try codec.fernet?.encrypt(plain, seconds: seconds) ?? plain
    }
}
