import GRDB
import ParleyModel

/// Where an event goes: to the end of its thread, into a hole, or nowhere because it is there.
extension BatchWriter {
    /// Stores an event of a thread that exists, moves the cursor of its user, and does what it says.
    mutating func place(_ event: LogEvent, in thread: inout ThreadState) throws -> StoreOutcome {
        let seq = event.position.seq
        let event = try withoutErased(event)
        if seq > thread.headSeq {
            let effect = try effect(of: event, in: thread)
            if try append(event, effect, to: &thread, at: seq) { return .stored(seq: seq) }
            let earlier = try seqOfStored(event)
            thread.noteUsed(event.position)
            guard let earlier else { throw Poison("the schema cannot hold it") }
            return .repeated(seq: earlier)
        }
        if let earlier = try seqOfStored(event) { return .repeated(seq: earlier) }
        let effect = try effect(of: event, in: thread)
        let isTaken = try Bool.fetchOne(
            db.cachedStatement(sql: WriteQueries.isSeqTaken), arguments: [event.thread.text, seq])
        if isTaken == true {
            let next = thread.headSeq + 1
            guard EventRules.seqs.contains(next) else { throw Poison("the thread has no seq left") }
            guard try append(event, effect, to: &thread, at: next) else { throw Poison("the schema cannot hold it") }
            return .stored(seq: next)
        }
        try insert(event, effect, into: &thread)
        return .stored(seq: seq)
    }

    /// The seq under which an event is stored, if it is.
    /// - Throws: `Poison` if the sender used the `clientID` in another thread.
    func seqOfStored(_ event: LogEvent) throws -> Int64? {
        if let fields = EventFields(event.body) {
            return try Int64.fetchOne(
                db.cachedStatement(sql: WriteQueries.seqOfEvent),
                arguments: [
                    event.thread.text, event.position.seq, event.position.epoch.text, fields.kind, fields.user.text,
                ])
        }
        guard let message = event.message else { return nil }
        let seq = try Int64.fetchOne(
            db.cachedStatement(sql: WriteQueries.seqOfMessage), arguments: [event.thread.text, message.id.text])
        if let seq { return seq }
        guard let clientID = message.clientID else { return nil }
        let place = try Row.fetchOne(
            db.cachedStatement(sql: WriteQueries.placeOfClientID), arguments: [message.sender.id.text, clientID])
        guard let place else { return nil }
        // Its seq would mean nothing in this thread, and the text must not vanish as if it were a repeat.
        guard place[0] == event.thread.text else { throw Poison("client_id was used in another thread") }
        return place[1]
    }

    /// Stores an event above the head.
    /// - Returns: `false` if the message is there already.
    private mutating func append(
        _ event: LogEvent, _ effect: EventEffect?, to thread: inout ThreadState, at seq: Int64
    ) throws -> Bool {
        let milliseconds = max(event.milliseconds, thread.headMilliseconds)
        let n = thread.headN + (event.message == nil ? 0 : 1)
        let place = EventPlace(seq: seq, n: n, milliseconds: milliseconds)
        guard try insertRow(of: event, effect, at: place) else { return false }
        thread.append(event, at: seq, milliseconds: milliseconds)
        try effect?.carryOut(at: place, of: event.thread, in: db)
        finish(event, at: place, in: &thread)
        return true
    }

    /// Stores an event that comes late, at a free seq below the head; counts and cursors after it go up by one.
    private mutating func insert(_ event: LogEvent, _ effect: EventEffect?, into thread: inout ThreadState) throws {
        let (id, seq) = (event.thread.text, event.position.seq)
        let neighbours = try Row.fetchOne(
            db.cachedStatement(sql: WriteQueries.neighbours), arguments: [id, seq, EventRules.dates.upperBound])
        guard let neighbours else { return }
        let (before, earliest, latest): (Int64, Int64, Int64) = (neighbours[0], neighbours[1], neighbours[2])
        let milliseconds = min(max(event.milliseconds, earliest), latest)
        let n = before + (event.message == nil ? 0 : 1)
        let place = EventPlace(seq: seq, n: n, milliseconds: milliseconds)

        // The cursors are counted up in their table, so those of this batch must be there first.
        try cursors.write(to: db)
        _ = try insertRow(of: event, effect, at: place)
        if event.message != nil {
            for sql in [WriteQueries.countUpMessages, WriteQueries.countUpEvents, WriteQueries.countUpCursors] {
                try db.cachedStatement(sql: sql).execute(arguments: [id, seq])
            }
        }
        thread.insert(event, at: seq, milliseconds: milliseconds)
        if let effect, try !effect.isOutdone(at: seq, of: event.thread, in: db) {
            try effect.carryOut(at: place, of: event.thread, in: db)
        }
        finish(event, at: place, in: &thread)
    }

    /// What the event does to the batch's own memory.
    private mutating func finish(_ event: LogEvent, at place: EventPlace, in thread: inout ThreadState) {
        switch event.body {
        case .message(let message): cursors.move(message.sender.id, in: event.thread, to: place.seq, n: place.n)
        case .joined(let user, _): cursors.move(user.id, in: event.thread, to: place.seq, n: place.n)
        case .left: thread.hasPairAsMembers = false
        case .edited, .deleted, .reaction, .renamed, .role: break
        }
    }

    /// - Returns: `false` if the message's id or `clientID` is there already.
    private func insertRow(of event: LogEvent, _ effect: EventEffect?, at place: EventPlace) throws -> Bool {
        if let effect {
            let fields = effect.fields
            try db.cachedStatement(sql: WriteQueries.insertEvent)
                .execute(
                    arguments: [
                        event.thread.text, place.seq, event.position.seq, event.position.epoch.text,
                        place.milliseconds, place.n, fields.kind, fields.user.text, fields.userName, fields.by?.text,
                        fields.messageID?.text, fields.messageSeq, fields.text, fields.isOn,
                    ])
            return true
        }
        guard let message = event.message else { return false }
        try db.cachedStatement(sql: WriteQueries.insertMessage)
            .execute(
                arguments: [
                    event.thread.text, place.seq, message.id.text, event.position.epoch.text, place.milliseconds,
                    place.n, message.sender.id.text, message.sender.name, message.clientID, message.text,
                    message.parts.isEmpty ? nil : MessagePart.json(message.parts), message.replyTo, message.isErased,
                ])
        return db.changesCount == 1
    }
}
