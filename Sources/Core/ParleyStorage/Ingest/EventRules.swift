package import ParleyModel

/// The rules that every event must satisfy before it is applied to the tables.
package enum EventRules {
    /// The allowed seqs.
    package static let seqs: ClosedRange<Int64> = 1...LogBounds.seqs.upperBound
    /// The allowed dates, in Unix milliseconds.
    package static let dates = LogBounds.dates
    /// The maximum length of an indexed text, in bytes. A PostgreSQL index entry holds at most 2704; listeners allow
    /// far less: 64 scalars for a `client_id`.
    package static let indexedBytes = 1000

    /// Checks an event against all rules.
    /// - Throws: `UnstorableEvent` with what is wrong and what is allowed.
    package static func check(_ event: LogEvent) throws(UnstorableEvent) {
        guard seqs.contains(event.position.seq) else {
            throw UnstorableEvent("seq is \(event.position.seq); allowed are \(seqs)")
        }
        guard dates.contains(event.milliseconds) else {
            throw UnstorableEvent("date is \(event.milliseconds); allowed are \(dates)")
        }
        try refuseNUL(in: event.position.epoch.text, as: "epoch")
        if let message = event.message {
            try check(message)
        } else if let fields = EventFields(event.body) {
            try check(fields)
        }
    }

    /// Whether `check` accepts an event.
    package static func allow(_ event: LogEvent) -> Bool {
        do {
            try check(event)
            return true
        } catch {
            return false
        }
    }

    /// Whether a table can hold a position, so that it can be recorded as used.
    package static func allow(_ position: Position) -> Bool {
        seqs.contains(position.seq) && !position.epoch.text.utf8.contains(0)
    }

    private static func check(_ message: Message) throws(UnstorableEvent) {
        // Listeners limit the length of a text. A stored log must stay readable when that setting is lowered.
        let violation = MessageText.violation(in: message.text, limit: .max)
        if let violation, violation != .empty || message.parts.isEmpty { throw UnstorableEvent(violation.explanation) }
        try refuseNUL(in: message.sender.name, as: "sender's name")
        if let clientID = message.clientID { try checkIndexed(clientID, as: "client_id") }
        if !message.parts.isEmpty, let violation = MessagePart.violation(in: message.parts, textScalars: .max) {
            throw UnstorableEvent(violation)
        }
    }

    private static func check(_ fields: EventFields) throws(UnstorableEvent) {
        try refuseNUL(in: fields.userName, as: "user's name")
        guard let text = fields.text else { return }
        try refuseNUL(in: text, as: "text")
        if fields.kind == .reaction, let violation = Reaction.violation(inEmoji: text) {
            throw UnstorableEvent(violation)
        }
        if fields.kind == .renamed { try checkIndexed(text, as: "title") }
        if text.isEmpty, fields.kind != .edited { throw UnstorableEvent("the title is empty") }
    }

    private static func checkIndexed(_ text: String, as field: String) throws(UnstorableEvent) {
        try refuseNUL(in: text, as: field)
        guard text.utf8.count <= indexedBytes else {
            throw UnstorableEvent("\(field) is too long; allowed are at most \(indexedBytes) bytes")
        }
    }

    /// PostgreSQL's text type has no NUL, and SQLite's texts are bound as C strings, which end at the first NUL.
    private static func refuseNUL(in text: String, as field: String) throws(UnstorableEvent) {
        if text.utf8.contains(0) { throw UnstorableEvent("\(field) contains a NUL character, which is not allowed") }
    }
}
