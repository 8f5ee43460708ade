import ParleyModel

/// What every event must satisfy before it is tried on the tables.
enum EventRules {
    /// Beyond 2^53, seqs would be rounded by JavaScript; the bound also keeps the arithmetic from overflowing.
    static let seqs: ClosedRange<Int64> = 1...(1 << 53)
    /// From 1970 to the end of the year 9999.
    static let dates: ClosedRange<Int64> = 0...253_402_300_799_999

    /// - Throws: `Poison` with what is wrong and what is allowed.
    static func check(_ event: LogEvent) throws {
        guard seqs.contains(event.position.seq) else {
            throw Poison("seq is \(event.position.seq); allowed are \(seqs)")
        }
        guard dates.contains(event.milliseconds) else {
            throw Poison("date is \(event.milliseconds); allowed are \(dates)")
        }
        try refuseNUL(in: event.position.epoch.text, as: "epoch")
        if let message = event.message { try check(message) }
        if let fields = EventFields(event.body) { try check(fields) }
    }

    private static func check(_ message: Message) throws {
        // The limit of the text is the door's affair: a stored log must survive a lower setting.
        let flaw = MessageText.flaw(in: message.text, limit: .max)
        if let flaw, flaw != .empty || message.parts.isEmpty { throw Poison(flaw.explanation) }
        try refuseNUL(in: message.sender.name, as: "sender's name")
        if let clientID = message.clientID { try refuseNUL(in: clientID, as: "client_id") }
        if let flaw = MessagePart.flaw(in: message.parts, textScalars: .max) { throw Poison(flaw) }
    }

    private static func check(_ fields: EventFields) throws {
        try refuseNUL(in: fields.userName, as: "user's name")
        guard let text = fields.text else { return }
        try refuseNUL(in: text, as: "text")
        if fields.kind == "reaction", let flaw = Reaction.flaw(inEmoji: text) { throw Poison(flaw) }
        if text.isEmpty, fields.kind != "edited" { throw Poison("the title is empty") }
    }

    /// SQLite's texts are bound as C strings, which end at a NUL.
    private static func refuseNUL(in text: String, as field: String) throws {
        if text.utf8.contains(0) { throw Poison("\(field) contains a NUL character, which is not allowed") }
    }
}
