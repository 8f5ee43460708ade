import ParleyModel

/// An entry of a stream, as XRANGE answers it.
struct StreamEntry {
    let id: String
    /// Field names and values in turn.
    let fields: [RESPValue]

    /// `nil` if the answer is none.
    init?(_ value: RESPValue) {
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

    /// The event; `nil` if the entry holds none.
    func event(_ codec: EventCodec) -> LogEvent? {
        guard let payload, case .event(let event) = try? codec.read(payload) else { return nil }
        return event
    }

    /// The first id above this entry's.
    var next: String? {
        let parts = id.split(separator: "-")
        guard parts.count == 2, let number = UInt64(parts[1]), number < .max else { return nil }
        return "\(parts[0])-\(number + 1)"
    }
}
