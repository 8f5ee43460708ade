import GRDB
import ParleyModel
import ParleyStorage

/// Placing events: at the end of the thread, in a gap, or nowhere because they are stored already.
extension BatchWriter {
    /// Stores an event of an existing thread, moves the cursor of its user, and applies its effect.
    mutating func place(_ event: LogEvent, in thread: inout ThreadState) throws -> StoreOutcome {
        let seq = event.position.seq
        let isRelayed = try event.outboxID.map { try takeFromOutbox($0) }
        let stored = try withoutErased(event)
        try redactLater(event, storedAs: stored)
        // Nearly every event is new and needs no query: the unique indexes detect the others.
        if isRelayed == nil, seq > thread.headSeq, !thread.hasEnded(event.position.epoch) {
            let effect = try effect(of: stored)
            if try append(stored, effect, false, to: &thread, at: seq) { return .stored(seq: seq) }
        }
        let verdict = try verdict(on: event)
        if let earlier = verdict.seq {
            if case .repeatedSend = verdict { try skip(event, as: earlier, in: thread) }
            thread.noteUsed(event.position)
            return .repeated(seq: earlier)
        }
        if isRelayed == false {
            try skip(event, as: nil, in: thread)
            thread.noteUsed(event.position)
            return .repeated(seq: seq)
        }
        let effect = try effect(of: stored)
        let isLaterUse = verdict == .laterUse && stored.message?.clientID != nil
        switch try thread.placing(of: event.position, isTaken: { try isTaken(seq, in: event.thread) }) {
        case .append(let next):
            guard try append(next == seq ? stored : stored.moved, effect, isLaterUse, to: &thread, at: next) else {
                throw Rejection("a constraint of the schema is violated")
            }
            return .stored(seq: next)
        case .insert:
            try insert(stored, effect, isLaterUse, into: &thread)
            return .stored(seq: seq)
        }
    }

    /// Removes an entry from the outbox.
    /// - Returns: whether it existed.
    private func takeFromOutbox(_ id: Int64) throws -> Bool {
        try db.cachedStatement(sql: SendQueries.deleteOutbox).execute(arguments: [id])
        return db.changesCount == 1
    }

    /// Records the seq of an event whose content is stored elsewhere, so that every seq of the log is accounted for and
    /// none is used twice.
    private func skip(_ event: LogEvent, as first: Int64?, in thread: ThreadState) throws {
        let seq = event.position.seq
        guard try seq > thread.headSeq || !isTaken(seq, in: event.thread) else { return }
        try db.cachedStatement(sql: SendQueries.insertRepeat)
            .execute(
                arguments: [
                    event.thread.text, seq, event.position.epoch.text, event.message?.id.text, first,
                ])
    }

    private func isTaken(_ seq: Int64, in thread: ThreadID) throws -> Bool {
        try Bool.fetchOne(db.cachedStatement(sql: WriteQueries.isSeqTaken), arguments: [thread.text, seq]) == true
    }

    /// The verdict on an event.
    func verdict(on event: LogEvent) throws -> EventVerdict {
        let skipped = try Int64.fetchOne(
            db.cachedStatement(sql: SendQueries.repeat),
            arguments: [
                event.thread.text, event.position.seq, event.position.epoch.text, event.message?.id.text,
            ])
        if let skipped { return .known(seq: skipped) }
        if let fields = EventFields(event.body) {
            let (epoch, own) = (event.position.epoch, event.position.seq)
            // An event that was moved is stored in the successor of its epoch, whose own events have higher seqs.
            var seq: Int64?
            for epoch in [epoch, epoch.successor] where seq == nil {
                seq = try Int64.fetchOne(
                    db.cachedStatement(sql: WriteQueries.seqOfEvent),
                    arguments: [event.thread.text, own, epoch.text, fields.kind.rawValue, fields.user.text])
            }
            return seq.map { .known(seq: $0) } ?? .new
        }
        guard let message = event.message else { return .new }
        let seq = try Int64.fetchOne(
            db.cachedStatement(sql: WriteQueries.seqOfMessage), arguments: [event.thread.text, message.id.text])
        if let seq { return .known(seq: seq) }
        guard let name = message.sendKey else { return .new }
        return EventVerdict(message, in: event.thread, uses: try StoredUse.all(of: name, in: db), key)
    }

    /// Stores an event above the head.
    /// - Returns: `false` if the message is stored already.
    private mutating func append(
        _ event: LogEvent, _ effect: EventEffect?, _ isLaterUse: Bool, to thread: inout ThreadState, at seq: Int64
    ) throws -> Bool {
        let place = thread.place(of: event, at: seq)
        guard try insertRow(of: event, effect, isLaterUse, at: place) else { return false }
        thread.append(event, at: place)
        try effect?.carryOut(at: place, of: event.thread, in: db)
        finish(event, at: place, in: &thread)
        return true
    }

    /// Stores a late event at a free seq below the head; message numbers and cursors after it are raised by one.
    private mutating func insert(
        _ event: LogEvent, _ effect: EventEffect?, _ isLaterUse: Bool, into thread: inout ThreadState
    ) throws {
        let (id, seq) = (event.thread.text, event.position.seq)
        let neighbours = try Row.fetchOne(
            db.cachedStatement(sql: WriteQueries.neighbours), arguments: [id, seq, EventRules.dates.upperBound])
        guard let neighbours else { return }
        let place = Neighbours(messagesBefore: neighbours[0], earliest: neighbours[1], latest: neighbours[2])
            .place(of: event, at: seq)

        // The cursors are renumbered in their table, so those of this batch must be written first.
        try writeCursors()
        _ = try insertRow(of: event, effect, isLaterUse, at: place)
        if event.message != nil {
            for sql in [WriteQueries.countUpMessages, WriteQueries.countUpEvents, WriteQueries.countUpCursors] {
                try db.cachedStatement(sql: sql).execute(arguments: [id, seq])
            }
        }
        thread.insert(event, at: place)
        if let effect, try !effect.isSuperseded(at: seq, of: event.thread, in: db) {
            try effect.carryOut(at: place, of: event.thread, in: db)
        }
        finish(event, at: place, in: &thread)
    }

    /// Updates the batch's own state after an event.
    private mutating func finish(_ event: LogEvent, at place: EventPlace, in thread: inout ThreadState) {
        cursors.move(by: event, at: place)
        if case .left = event.body { thread.hasPairAsMembers = false }
    }

    /// - Returns: `false` if the message's id or `clientID` is stored already.
    private func insertRow(
        of event: LogEvent, _ effect: EventEffect?, _ isLaterUse: Bool, at place: EventPlace
    ) throws -> Bool {
        if let effect {
            let fields = effect.fields
            try db.cachedStatement(sql: WriteQueries.insertEvent)
                .execute(
                    arguments: [
                        event.thread.text, place.seq, event.position.seq, event.position.epoch.text,
                        place.milliseconds, place.n, fields.kind.rawValue, fields.user.text, fields.userName, fields.by?.text,
                        fields.messageID?.text, fields.messageSeq, fields.text, fields.isOn,
                    ])
            return true
        }
        guard let message = event.message else { return false }
        try db.cachedStatement(sql: WriteQueries.insertMessage)
            .execute(
                arguments: [
                    event.thread.text, place.seq, message.id.text, event.position.epoch.text, place.milliseconds,
                    place.n, message.sender.id.text, message.sender.name, isLaterUse ? nil : message.clientID,
                    message.text, message.parts.isEmpty ? nil : MessagePart.json(message.parts), message.replyTo,
                    message.isErased, isLaterUse ? message.clientID : nil,
                ])
        guard db.changesCount == 1 else { return false }
        if isLaterUse {
            try db.cachedStatement(sql: SendQueries.insertLaterSend)
                .execute(arguments: [message.sender.id.text, message.clientID, event.thread.text, place.seq])
        }
        return true
    }
}
