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
        switch event.body {
        case .message(let message):
            // The limit of the text is the door's affair: a stored log must survive a lower setting.
            if let flaw = MessageText.flaw(in: message.text, limit: .max) { throw Poison(flaw.explanation) }
            try refuseNUL(in: message.sender.name, as: "sender's name")
            if let clientID = message.clientID { try refuseNUL(in: clientID, as: "client_id") }
        case .joined(let user, _):
            try refuseNUL(in: user.name, as: "user's name")
        case .edited, .deleted, .reaction, .left, .renamed, .role:
            throw Poison("events of this kind are not stored yet")
        }
    }

    /// SQLite's texts are bound as C strings, which end at a NUL.
    private static func refuseNUL(in text: String, as field: String) throws {
        if text.utf8.contains(0) { throw Poison("\(field) contains a NUL character, which is not allowed") }
    }
}
