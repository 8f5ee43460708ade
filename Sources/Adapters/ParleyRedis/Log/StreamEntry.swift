package import ParleyChannels
package import ParleyModel
package import ParleyRedisClient

/// An entry of a stream, as XRANGE returns it.
package struct StreamEntry {
    package let id: String
    /// Alternating field names and values.
    let fields: [RESPValue]

    /// Returns `nil` if the reply is not an entry.
    package init?(_ value: RESPValue) {
        guard let parts = value.elements, parts.count == 2, let id = parts[0].text, let fields = parts[1].elements
        else {
            return nil
        }
        self.id = id
        self.fields = fields
    }

    /// The payload of the event; `nil` if the entry has none.
    var payload: [UInt8]? {
        fields.count == 2 && fields[0].text == "e" ? fields[1].bytes : nil
    }

    /// Returns the event; `nil` if the entry has none.
    package func event(_ codec: EventCodec) -> LogEvent? {
        guard let payload, case .event(let event) = try? codec.read(payload) else { return nil }
        return event
    }
}
