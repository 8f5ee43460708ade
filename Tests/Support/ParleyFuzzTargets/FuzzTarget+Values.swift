import NIOCore
import ParleyFanOut
import ParleyModel
import ParleySession
import ParleyWire

/// What takes decoded values: every number is one that a decoder accepts.
extension FuzzTarget {
    private static let thread = ThreadID(trusted: "t")
    private static let user = User(id: UserID(trusted: "u"), name: "u")
    private static let seqs: [Int64] = [0, 1, 2, 3, 4, 5, 8, 1000, (1 << 53) - 2, (1 << 53) - 1, 1 << 53]
    private static let dates: [Int64] = [0, 1, 1_800_000_000_000, LogBounds.dates.upperBound]

    /// Four bytes make an event or a signal; a hub with two loops gets it.
    func hub(_ bytes: [UInt8]) throws {
        var hub = Hub(loops: 2, linger: 1000, leaveTimeout: 500)
        var actions = HubActions(loops: 2)
        hub.add(Encoding(dialect: .v1))
        hub.add(Encoding(dialect: .classic, compressed: true))
        let topics = [BusTopic.thread(Self.thread), .user(Self.user.id)]
        hub.subscribe(to: topics, for: 0, waiter: 1, &actions)
        hub.subscribed(to: topics, &actions)
        var isPlaced = false
        for start in stride(from: 0, to: bytes.count - 3, by: 4) {
            let event = Self.event(bytes[start], bytes[start + 1], bytes[start + 2])
            let now = Int64(start)
            switch bytes[start + 3] % 8 {
            case 0 where !isPlaced:
                isPlaced = true
                let head = ThreadHead(
                    position: event.position, milliseconds: event.milliseconds, messageCount: event.messageCount)
                hub.headsRead([Self.thread], [Self.thread: head], for: nil, &actions)
            case 1:
                let end = max(event.position.seq, Self.seqs[Int(bytes[start + 3] / 8) % Self.seqs.count])
                var slice = LogSlice(
                    epoch: event.position.epoch, events: [event], end: end, isTruncated: bytes[start + 3] > 127)
                slice.formerEpochs = [Epoch("aaaaaaaa"): event.position.seq]
                hub.eventsRead(Self.thread, slice, &actions)
            case 2: hub.eventsRead(Self.thread, nil, &actions)
            case 3: hub.received([.resubscribed], at: now, &actions)
            case 4:
                let stored = EphemeralEvent.stored(seq: event.position.seq, epoch: event.position.epoch)
                hub.received([.ephemeral(stored, Self.thread)], at: now, &actions)
            case 5: hub.checkHeads(parts: 1, &actions)
            default: hub.received([.event(event)], at: now, &actions)
            }
        }
        for loop in 0..<2 { _ = actions.takeDeliveries(to: loop) }
    }

    private static func event(_ place: UInt8, _ numbers: UInt8, _ kind: UInt8) -> LogEvent {
        let epoch = Epoch(["aaaaaaaa", "bbbbbbbb", "cccccccc", ""][Int(place >> 6)])
        let seq = seqs[Int(place & 0x3F) % seqs.count]
        let body: LogEvent.Body =
            switch kind % 5 {
            case 0: .joined(user)
            case 1: .left(user, by: user.id)
            case 2: .renamed(title: "a", by: user.id)
            case 3: .role(user.id, .moderator, by: user.id)
            default: .message(Message(id: MessageID(trusted: "m"), sender: user, text: "hi", replyTo: seq))
            }
        return LogEvent(
            thread: thread, position: Position(epoch: epoch, seq: seq),
            milliseconds: dates[Int(numbers & 3)], messageCount: seqs[Int(numbers >> 2) % seqs.count], body: body)
    }

    /// Each line is a frame of the client, whose commands get all that they ask for.
    func session(_ bytes: [UInt8]) throws {
        var session = V1Session(outboundBytes: 65_536)
        var actions: [V1Session.Action] = []
        var now: Int64 = 0
        let hello = V1Hello(
            connection: ConnectionID(trusted: "c"), node: "n", user: Self.user, serverTime: 0,
            pingIntervalMilliseconds: 25_000, limits: Limits(), ticket: nil, threads: [], hasMore: false)
        session.opened(hello, at: V1Session.Moment(now: now, waitingBytes: 0), &actions)
        for line in bytes.split(separator: 0x0A) {
            now += 100_000
            let moment = V1Session.Moment(now: now, waitingBytes: 0)
            let request = Result { () throws(V1CommandError) in try V1Decoder().decode(ByteBuffer(bytes: line)) }
            session.received(request, at: moment, &actions)
            var rounds = 0
            while let query = session.query, rounds < 200 {
                var facts = V1Session.Facts()
                for thread in query.resumed { facts.members[thread] = 1 }
                if let thread = query.thread {
                    facts.membership = Membership(
                        thread: ThreadInfo(id: thread, kind: .room, title: "r"), role: .owner)
                }
                session.answered(facts, at: moment, &actions)
                rounds += 1
            }
            try expect(rounds < 200, "a command that never begins")
            session.wake(at: moment, &actions)
        }
        session.closed()
    }
}
