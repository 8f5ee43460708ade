package import ParleyModel

/// What Django sends into a thread's group, as clients see it (PROTOCOL.md, Settings).
///
/// An event that a consumer would handle by `chat_message`, with a map under `message`, is shown as that map with the
/// type `message` and without a `seq`, which only the log gives. Every other event is Django's own affair. For what JSON
/// lacks see `ForeignJSONWriter`.
package enum ForeignPayload {
    /// The largest JSON that clients are given, in bytes.
    package static var maximumBytes: Int { 65_536 }

    /// The fields of a message that are not Django's to say.
    private static let reserved: Set<ChannelsValue> = [.text("type"), .text("seq")]

    /// - Parameter value: an event: a map with a `type`.
    /// - Throws: `notForClients` if it is no message; `tooLarge`.
    package static func event(_ value: ChannelsValue) throws(ChannelsCodecError) -> ForeignEvent {
        guard let type = value["type"]?.text, type == "chat.message" || type == "chat_message",
            case .map(let fields)? = value["message"]
        else { throw .notForClients }
        let shown =
            [ChannelsValue.Entry(.text("type"), .text("message"))] + fields.filter { !reserved.contains($0.key) }
        var writer = ForeignJSONWriter(limit: maximumBytes)
        try writer.write(.map(shown))
        return ForeignEvent(json: writer.bytes)
    }
}
