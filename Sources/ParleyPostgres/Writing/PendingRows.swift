import ParleyModel

/// Rows that a batch is going to write, gathered so that each table costs one statement.
struct PendingRows {
    private struct CursorKey: Hashable {
        var thread: ThreadID
        var user: UserID
    }

    private struct Placed {
        var event: LogEvent
        var seq: Int64
        var n: Int64
        var milliseconds: Int64
    }

    private var directThreads: [(id: ThreadID, pair: [String], milliseconds: Int64)] = []
    private var members: [(thread: ThreadID, user: String, seq: Int64, n: Int64, milliseconds: Int64)] = []
    private var messages: [(Placed, Message)] = []
    private var events: [(Placed, User)] = []
    private var cursors: [CursorKey: (seq: Int64, n: Int64)] = [:]

    mutating func add(directThread id: ThreadID, of pair: Set<String>, at milliseconds: Int64) {
        let sorted = pair.sorted()
        guard let first = sorted.first, let last = sorted.last else { return }
        directThreads.append((id, [first, last], milliseconds))
    }

    mutating func add(member user: String, of thread: ThreadID, readTo seq: Int64, n: Int64, at milliseconds: Int64) {
        members.append((thread, user, seq, n, milliseconds))
    }

    /// An event gets a row, and the cursor of its user goes to it if it is behind.
    mutating func add(_ event: LogEvent, at seq: Int64, n: Int64, milliseconds: Int64) {
        let placed = Placed(event: event, seq: seq, n: n, milliseconds: milliseconds)
        let user: User
        switch event.body {
        case .message(let message):
            messages.append((placed, message))
            user = message.sender
        case .joined(let joined, _):
            events.append((placed, joined))
            user = joined
        case .edited, .deleted, .reaction, .left, .renamed, .role:
            return
        }
        move(user.id, in: event.thread, to: seq, n: n)
    }

    /// A read cursor goes forward. However often it does in a batch, it is written once.
    mutating func move(_ user: UserID, in thread: ThreadID, to seq: Int64, n: Int64) {
        let key = CursorKey(thread: thread, user: user)
        if seq > cursors[key]?.seq ?? 0 { cursors[key] = (seq, n) }
    }

    /// The statements that write all rows, in an order that the schema allows; nothing is pending after this.
    mutating func takeCalls() -> [Call] {
        var calls: [Call] = []
        if !directThreads.isEmpty {
            calls.append(
                WriteQueries.insertDirectThreads(
                    .texts(directThreads.map(\.id.text)), .texts(directThreads.map(\.pair[0])),
                    .texts(directThreads.map(\.pair[1])), .ints(directThreads.map(\.milliseconds))))
        }
        if !members.isEmpty {
            calls.append(
                WriteQueries.insertMembers(
                    .texts(members.map(\.thread.text)), .texts(members.map(\.user)), .ints(members.map(\.seq)),
                    .ints(members.map(\.n)), .ints(members.map(\.milliseconds))))
        }
        if !messages.isEmpty { calls.append(insertMessages) }
        if !events.isEmpty { calls.append(insertEvents) }
        if !cursors.isEmpty {
            calls.append(
                WriteQueries.advanceCursors(
                    .texts(cursors.keys.map(\.thread.text)), .texts(cursors.keys.map(\.user.text)),
                    .ints(cursors.values.map(\.seq)), .ints(cursors.values.map(\.n))))
        }
        self = PendingRows()
        return calls
    }

    private var insertMessages: Call {
        WriteQueries.insertMessages(
            .texts(messages.map(\.0.event.thread.text)), .ints(messages.map(\.0.seq)),
            .texts(messages.map(\.1.id.text)),
            .texts(messages.map(\.0.event.position.epoch.text)), .ints(messages.map(\.0.milliseconds)),
            .ints(messages.map(\.0.n)), .texts(messages.map(\.1.sender.id.text)), .texts(messages.map(\.1.sender.name)),
            .optionalTexts(messages.map(\.1.clientID)), .texts(messages.map(\.1.text)))
    }

    private var insertEvents: Call {
        WriteQueries.insertEvents(
            .texts(events.map(\.0.event.thread.text)), .ints(events.map(\.0.seq)),
            .ints(events.map(\.0.event.position.seq)), .texts(events.map(\.0.event.position.epoch.text)),
            .ints(events.map(\.0.milliseconds)), .ints(events.map(\.0.n)), .texts(events.map { _ in "joined" }),
            .texts(events.map(\.1.id.text)), .texts(events.map(\.1.name)))
    }
}
