package import ParleyModel

/// What Django sends into a thread's group, as clients see it.
///
/// An event that a consumer would handle by `chat_message` and that has a map under `message` is shown as that map,
/// every other event as it is. For what JSON lacks see `ForeignJSONWriter`.
package enum ForeignPayload {
    /// The largest JSON that clients are given, in bytes.
    package static var maximumBytes: Int { 65_536 }

    /// - Parameter value: an event: a map with a `type`.
    /// - Throws: `tooLarge`, `noEvent` if it is no map.
    package static func event(_ value: ChannelsValue) throws(ChannelsCodecError) -> ForeignEvent {
        var shown = value
        if let type = value["type"]?.text, type == "chat.message" || type == "chat_message",
            let message = value["message"], case .map = message
        {
            shown = message
        }
        guard case .map = shown else { throw .noEvent }
        var writer = ForeignJSONWriter(limit: maximumBytes)
        try writer.write(shown)
        return ForeignEvent(json: writer.bytes)
    }
}
