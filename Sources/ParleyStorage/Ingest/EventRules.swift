package import ParleyModel

/// What every event must satisfy before it is tried on the tables.
package enum EventRules {
    /// Beyond 2^53, seqs would be rounded by JavaScript; the bound also keeps the arithmetic from overflowing.
    package static let seqs: ClosedRange<Int64> = 1...(1 << 53)
    /// From 1970 to the end of the year 9999.
    package static let dates: ClosedRange<Int64> = 0...253_402_300_799_999
    /// The longest text that an index holds, in bytes: an entry of a PostgreSQL index has room for 2704. Listeners allow
    /// far less: 64 scalars of a `client_id`.
    package static let indexedBytes = 1000

    /// - Throws: `Rejection` with what is wrong and what is allowed.
    package static func check(_ event: LogEvent) throws(Rejection) {
        guard seqs.contains(event.position.seq) else {
            throw Rejection("seq is \(event.position.seq); allowed are \(seqs)")
        }
        guard dates.contains(event.milliseconds) else {
            throw Rejection("date is \(event.milliseconds); allowed are \(dates)")
        }
        try refuseNUL(in: event.position.epoch.text, as: "epoch")
        if let message = event.message { try check(message) }
        if let fields = EventFields(event.body) { try check(fields) }
    }

    /// Whether `check` lets an event pass.
    package static func allow(_ event: LogEvent) -> Bool {
        do {
            try check(event)
            return true
        } catch {
            return false
        }
    }

    /// Whether a table can hold a position, so that it can be noted as used.
    package static func allow(_ position: Position) -> Bool {
        seqs.contains(position.seq) && !position.epoch.text.utf8.contains(0)
    }

    private static func check(_ message: Message) throws(Rejection) {
        // The limit of the text is the listeners' affair: a stored log must survive a lower setting.
        let violation = MessageText.violation(in: message.text, limit: .max)
        if let violation, violation != .empty || message.parts.isEmpty { throw Rejection(violation.explanation) }
        try refuseNUL(in: message.sender.name, as: "sender's name")
        if let clientID = message.clientID { try checkIndexed(clientID, as: "client_id") }
        if let violation = MessagePart.violation(in: message.parts, textScalars: .max) { throw Rejection(violation) }
    }

    private static func check(_ fields: EventFields) throws(Rejection) {
        try refuseNUL(in: fields.userName, as: "user's name")
        guard let text = fields.text else { return }
        try refuseNUL(in: text, as: "text")
        if fields.kind == "reaction", let violation = Reaction.violation(inEmoji: text) { throw Rejection(violation) }
        if fields.kind == "renamed" { try checkIndexed(text, as: "title") }
        if text.isEmpty, fields.kind != "edited" { throw Rejection("the title is empty") }
    }

    private static func checkIndexed(_ text: String, as field: String) throws(Rejection) {
        try refuseNUL(in: text, as: field)
        guard text.utf8.count <= indexedBytes else {
            throw Rejection("\(field) is too long; allowed are at most \(indexedBytes) bytes")
        }
    }

    /// PostgreSQL's texts have no NUL, and SQLite's are bound as C strings, which end at one.
    private static func refuseNUL(in text: String, as field: String) throws(Rejection) {
        if text.utf8.contains(0) { throw Rejection("\(field) contains a NUL character, which is not allowed") }
    }
}
