package import ParleyModel

/// The events that Django sends to a thread's group, as clients see them (PROTOCOL.md, Settings).
///
/// An event handled by a consumer's `chat_message`, with a map under `message`, is delivered as that map with the type
/// `message` and without a `seq`, which only the log assigns. All other events are not delivered. For values that JSON
/// lacks see `ForeignJSONWriter`.
package enum ForeignPayload {
    /// The maximum size of the JSON sent to clients, in bytes.
    package static var maximumBytes: Int { 65_536 }

    /// The fields of a message that Django cannot set.
    private static let reserved: Set<ChannelsValue> = [.text("type"), .text("seq")]

    /// Converts an event of Django.
    /// - Parameter value: A map with a `type`.
    /// - Throws: `notForClients` if it is not a message; `tooLarge`.
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

    /// Converts an event of Django, together with its request if its type is adopted.
    /// - Parameter sent: The time of sending in Unix microseconds, if the layer provides it.
    package static func event(
        _ value: ChannelsValue, adopting types: AdoptedTypes, sent: Int64? = nil
    ) throws(ChannelsCodecError) -> ForeignEvent {
        guard let adoption = types.request(of: value, sent: sent) else { return try event(value) }
        // An event that is not yet a message for clients may become one.
        return ForeignEvent(json: (try? event(value).json) ?? [], adoption: adoption)
    }
}
