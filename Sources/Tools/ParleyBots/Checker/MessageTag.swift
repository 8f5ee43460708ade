/// A unique tag of a log event; for a bot's message, the bot and the number of the send.
///
/// The text begins with it, followed by the scheduled time of the send and the node it went to, so that every receiver
/// can compute the latency by itself.
package struct MessageTag: Codable, Hashable, Sendable {
    /// The length of a text that contains only a tag, in bytes.
    package static let textBytes = 38
    private static let foreignBit: UInt64 = 1 << 63

    package let raw: UInt64

    init(raw: UInt64) {
        self.raw = raw
    }

    package init(from decoder: any Decoder) throws {
        raw = try decoder.singleValueContainer().decode(UInt64.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(raw)
    }

    /// - Parameters:
    ///   - bot: below 2²³.
    ///   - number: from 1, below 2⁴⁰.
    package init(bot: Int, number: Int64) {
        raw = UInt64(bot) << 40 | UInt64(number)
    }

    /// The tag of an event that is not a message of a bot.
    /// - Parameters:
    ///   - type: the kind of event.
    ///   - id: the id of a message; empty for other events.
    package init(foreign type: some Sequence<UInt8>, id: some Sequence<UInt8>) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in type { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for byte in id { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        raw = hash | Self.foreignBit
    }

    /// Whether a bot of this run sent it.
    package var isOurs: Bool { raw != 0 && raw & Self.foreignBit == 0 }
    /// The bot, if `isOurs`.
    package var bot: Int { Int(raw >> 40) }
    /// The number of the send, if `isOurs`.
    package var number: Int64 { Int64(raw & 0xFF_FFFF_FFFF) }
}

extension MessageTag: CustomStringConvertible {
    package var description: String { isOurs ? "message \(number) of bot \(bot)" : "an event of another program" }
}
