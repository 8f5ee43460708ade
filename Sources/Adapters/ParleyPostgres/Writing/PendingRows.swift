import ParleyModel
import ParleyStorage

/// The rows of a batch, collected so that each table needs one statement.
struct PendingRows {
    private struct Placed {
        var event: LogEvent
        var at: EventPlace
    }

    /// The statements that must run before all others.
    private var calls: [Call] = []
    private var directThreads: [(id: ThreadID, pair: [String], milliseconds: Int64)] = []
    private var members: [(thread: ThreadID, user: String, at: EventPlace)] = []
    private var messages: [(Placed, Message)] = []
    private var laterUses: [(Placed, Message)] = []
    private var repeats: [(event: LogEvent, first: Int64?)] = []
    private var events: [(Placed, EventFields)] = []
    private var changes = PendingChanges()
    private var cursors = PendingCursors()
    /// The `joined` events of the outbox, with which the logs of their members may begin.
    private var starts: [(thread: ThreadID, user: UserID, entry: Int64, seq: Int64)] = []
    /// The marks that move cursors after `cursors`, at most one per reader.
    private var marks: [PendingCursors.Key: (seq: Int64, made: Int64?)] = [:]

    mutating func add(directThread id: ThreadID, of pair: Set<String>, at milliseconds: Int64) {
        let sorted = pair.sorted()
        guard let first = sorted.first, let last = sorted.last else { return }
        directThreads.append((id, [first, last], milliseconds))
    }

    /// Makes an existing user a member with the cursor at `place`, unless the user already is a member.
    mutating func add(member user: String, of thread: ThreadID, at place: EventPlace) {
        settleMark(of: UserID(trusted: user), in: thread)
        members.append((thread, user, place))
    }

    /// Adds the row of a message and advances its sender's cursor.
    /// - Parameter isLaterUse: whether the message's `client_id` belongs to another message.
    mutating func add(_ message: Message, of event: LogEvent, at place: EventPlace, isLaterUse: Bool) {
        if isLaterUse {
            laterUses.append((Placed(event: event, at: place), message))
        } else {
            messages.append((Placed(event: event, at: place), message))
        }
        move(message.sender.id, in: event.thread, to: place.seq, n: place.n)
    }

    /// Adds the row of an empty seq.
    /// - Parameter first: the seq at which the content is stored; `nil` if that is unknown.
    mutating func add(repeat event: LogEvent, of first: Int64?) {
        repeats.append((event, first))
    }

    /// Adds the row of an event that is not a message.
    mutating func add(_ fields: EventFields, of event: LogEvent, at place: EventPlace) {
        events.append((Placed(event: event, at: place), fields))
        guard fields.kind == .joined else { return }
        move(fields.user, in: event.thread, to: place.seq, n: place.n)
        if let entry = event.outboxID { starts.append((event.thread, fields.user, entry, place.seq)) }
    }

    /// Applies the effect of an event to the message that it refers to.
    mutating func carryOut(_ fields: EventFields, at place: EventPlace, in thread: ThreadID) {
        changes.add(fields, at: place, in: thread)
    }

    /// Advances a read cursor, which is written once per batch.
    mutating func move(_ user: UserID, in thread: ThreadID, to seq: Int64, n: Int64) {
        if !marks.isEmpty { settleMark(of: user, in: thread) }
        cursors.move(user, in: thread, to: seq, n: n)
    }

    /// Moves a read cursor to the position of a mark, possibly back, after the pending changes to the cursor.
    /// - Parameter seq: at most the head of the thread after the preceding entries of the batch.
    mutating func add(_ mark: ReadMark, through seq: Int64) {
        settleMark(of: mark.user, in: mark.thread)
        marks[PendingCursors.Key(thread: mark.thread, user: mark.user)] = (seq, mark.milliseconds)
    }

    /// Turns the pending rows into statements first if a mark for the same cursor is pending.
    private mutating func settleMark(of user: UserID, in thread: ThreadID) {
        if marks[PendingCursors.Key(thread: thread, user: user)] != nil { calls = takeCalls() }
    }

    /// Takes the statements that write all rows, in an order that satisfies the constraints of the schema.
    mutating func takeCalls() -> [Call] {
        var calls = calls
        if !directThreads.isEmpty {
            calls.append(
                WriteQueries.insertDirectThreads(
                    .texts(directThreads.map(\.id.text)), .texts(directThreads.map(\.pair[0])),
                    .texts(directThreads.map(\.pair[1])), .ints(directThreads.map(\.milliseconds))))
        }
        if !members.isEmpty {
            calls.append(
                WriteQueries.insertMembers(
                    .texts(members.map(\.thread.text)), .texts(members.map(\.user)), .ints(members.map(\.at.seq)),
                    .ints(members.map(\.at.n)), .ints(members.map(\.at.milliseconds))))
        }
        if !messages.isEmpty { calls.append(insert(messages, by: WriteQueries.insertMessages)) }
        if !laterUses.isEmpty { calls.append(insert(laterUses, by: SendQueries.insertLaterUses)) }
        if !repeats.isEmpty { calls.append(insertRepeats) }
        if !events.isEmpty { calls.append(insertEvents) }
        if !changes.isEmpty { calls += changes.takeCalls() }
        let moved = cursors.cursors
        if !moved.isEmpty {
            calls.append(
                WriteQueries.advanceCursors(
                    .texts(moved.keys.map(\.thread.text)), .texts(moved.keys.map(\.user.text)),
                    .ints(moved.values.map(\.seq)), .ints(moved.values.map(\.n))))
        }
        if !starts.isEmpty {
            calls.append(
                WriteQueries.setStarts(
                    .texts(starts.map(\.thread.text)), .texts(starts.map(\.user.text)),
                    .ints(starts.map { HistoryStart.pending + $0.entry }), .ints(starts.map(\.seq))))
        }
        if !marks.isEmpty {
            calls.append(
                ReadQueries.markManyRead(
                    .ints(marks.values.map(\.seq)), .texts(marks.keys.map(\.thread.text)),
                    .texts(marks.keys.map(\.user.text)), .optionalInts(marks.values.map(\.made))))
        }
        self = PendingRows()
        return calls
    }

    private var insertRepeats: Call {
        SendQueries.insertRepeats(
            .texts(repeats.map(\.event.thread.text)), .ints(repeats.map(\.event.position.seq)),
            .texts(repeats.map(\.event.position.epoch.text)), .optionalTexts(repeats.map(\.event.message?.id.text)),
            .optionalInts(repeats.map(\.first)))
    }

    private func insert(_ messages: [(Placed, Message)], by statement: Statement) -> Call {
        statement(
            .texts(messages.map(\.0.event.thread.text)), .ints(messages.map(\.0.at.seq)),
            .texts(messages.map(\.1.id.text)),
            .texts(messages.map(\.0.event.position.epoch.text)), .ints(messages.map(\.0.at.milliseconds)),
            .ints(messages.map(\.0.at.n)), .texts(messages.map(\.1.sender.id.text)),
            .texts(messages.map(\.1.sender.name)), .optionalTexts(messages.map(\.1.clientID)),
            .texts(messages.map(\.1.text)),
            .optionalTexts(messages.map { $0.1.parts.isEmpty ? nil : MessagePart.json($0.1.parts) }),
            .optionalInts(messages.map(\.1.replyTo)), .ints(messages.map { $0.1.isErased ? 1 : 0 }))
    }

    private var insertEvents: Call {
        WriteQueries.insertEvents(
            .texts(events.map(\.0.event.thread.text)), .ints(events.map(\.0.at.seq)),
            .ints(events.map(\.0.event.position.seq)), .texts(events.map(\.0.event.position.epoch.text)),
            .ints(events.map(\.0.at.milliseconds)), .ints(events.map(\.0.at.n)), .texts(events.map(\.1.kind.rawValue)),
            .texts(events.map(\.1.user.text)), .texts(events.map(\.1.userName)),
            .optionalTexts(events.map(\.1.by?.text)), .optionalTexts(events.map(\.1.messageID?.text)),
            .optionalInts(events.map(\.1.messageSeq)), .optionalTexts(events.map(\.1.text)),
            .optionalInts(events.map { $0.1.isOn.map { $0 ? 1 : 0 } }))
    }
}
