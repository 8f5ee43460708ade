/// An event in a queue of the core layer: 12 bytes that make it unique, and the payload.
///
/// The payload is the event, with the channels that it is for under `__asgi_channel__`, serialised and then encrypted.
package struct QueueMember: Hashable, Sendable {
    /// The event, without `__asgi_channel__`.
    package let event: ChannelsValue
    /// The channels that the event is for; empty for an event that was sent to a plain channel.
    package let channels: [String]

    /// The length of the bytes before the payload, `random_prefix_length`.
    package static var prefixLength: Int { 12 }
    private static var channelKey: ChannelsValue { .text("__asgi_channel__") }

    /// Decodes a member of a queue.
    /// - Parameters:
    ///   - now: The current time in Unix seconds, for the age of a token.
    ///   - expiry: The lifetime of an event, in seconds.
    /// - Throws: Also `undecryptable` for a token that is too old, or too far in the future.
    package init(
        _ member: [UInt8], _ codec: ChannelsCodec, now: Int64, expiry: Int64
    ) throws(ChannelsCodecError) {
        guard member.count > Self.prefixLength else { throw .truncated }
        let payload = Array(member[Self.prefixLength...])
        let value = try codec.decodeEvent(payload)
        if codec.fernet != nil, !Fernet.isTimely(payload, now: now, expiry: expiry) { throw .undecryptable }
        guard case .map(let entries) = value else { throw .noEvent }
        switch value["__asgi_channel__"] {
        case nil: channels = []
        case .text(let channel): channels = [channel]
        case .array(let names): channels = names.compactMap(\.text)
        case .some: throw .malformed
        }
        event = .map(entries.filter { $0.key != Self.channelKey })
    }

    /// Returns the event of a direct send to a channel, as `send` of channels_redis builds it.
    package static func event(_ event: ChannelsValue, to channel: String) -> ChannelsValue {
        adding(.text(channel), to: event)
    }

    /// Returns the event of a group's member queue, as `group_send` of channels_redis builds it.
    package static func event(_ event: ChannelsValue, to channels: [String]) -> ChannelsValue {
        adding(.array(channels.map { .text($0) }), to: event)
    }

    private static func adding(_ channels: ChannelsValue, to event: ChannelsValue) -> ChannelsValue {
        guard case .map(let entries) = event else { return event }
        return .map(entries + [ChannelsValue.Entry(channelKey, channels)])
    }

    /// Returns the bytes before a payload: unique, and ascending within a thread, since Redis sorts equal scores by them.
    package static func prefix(seq: Int64, random: UInt32) -> [UInt8] {
        let seq = UInt64(bitPattern: seq)
        return (0..<8).map { UInt8(truncatingIfNeeded: seq >> (56 - 8 * $0)) }
            + (0..<4).map { UInt8(truncatingIfNeeded: random >> (24 - 8 * $0)) }
    }
}

/// The two pieces of an unencrypted payload: the event, which is the same for all queues, and the channels of a queue.
/// A script therefore needs each of them only once.
package enum QueuePieces {
    /// Returns an event up to its last entry.
    /// - Parameter payload: A map with 1 to 14 entries.
    package static func event(_ payload: [UInt8], _ serializer: ChannelsSettings.Serializer) -> [UInt8] {
        switch serializer {
        case .msgpack:
            // The fixmap gets one more entry.
            guard let first = payload.first, (0x81...0x8E).contains(first) else { return payload }
            return [first + 1] + payload.dropFirst()
        case .json:
            return Array(payload.dropLast())
        }
    }

    /// Returns the last entry, and the end of the event.
    package static func channels(
        _ channels: [String], _ serializer: ChannelsSettings.Serializer
    ) throws(ChannelsCodecError) -> [UInt8] {
        let value = QueueMember.event(.map([]), to: channels)
        switch serializer {
        case .msgpack:
            // The header of the map is left out.
            return Array(try MessagePackWriter.encode(value).dropFirst())
        case .json:
            return Array(", ".utf8) + (try PythonJSONWriter.encode(value).dropFirst())
        }
    }
}
