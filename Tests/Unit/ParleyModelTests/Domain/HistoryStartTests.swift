import ParleyModel
import Testing

@Suite struct HistoryStartTests {
    private static let position = Position(epoch: Epoch("e1"), seq: 7)

    @Test("the stored value decides by one comparison, while the seq is unknown too")
    func stored() {
        #expect(HistoryStart(stored: 0) == nil)
        #expect(HistoryStart(stored: 7) == .stored(7))
        #expect(HistoryStart(stored: HistoryStart.pending + 7) == .joining(entry: 7))
        #expect(HistoryStart.pending > LogBounds.seqs.upperBound)
    }

    @Test(
        "a member sees from the start on, and nothing while it is unknown",
        arguments: [
            (nil, 1, true), (.joining(entry: 3), .max, false), (.joined(position, entry: 3), 7, true),
            (.stored(9), 9, true),
        ] as [(HistoryStart?, Int64, Bool)])
    func first(start: HistoryStart?, first: Int64, isKnown: Bool) {
        let room = ThreadInfo(id: ThreadID(trusted: "t"), kind: .room, title: "t")
        #expect(Membership(thread: room, role: .member, start: start).firstSeq == first)
        #expect(start?.isKnown ?? true == isKnown)
    }

    private static func event(_ seq: Int64, _ body: LogEvent.Body) -> LogEvent {
        LogEvent(
            thread: ThreadID(trusted: "t"), position: Position(epoch: Epoch("e1"), seq: seq), milliseconds: 1,
            messageCount: 1, body: body)
    }

    @Test("events about earlier messages keep their place and say nothing")
    func shown() {
        let (id, user) = (MessageID(trusted: "m"), UserID(trusted: "u"))
        func edit(_ seq: Int64, _ text: String) -> LogEvent.Body {
            .edited(MessageEdit(messageID: id, messageSeq: seq, text: text, by: user))
        }
        func reaction(_ seq: Int64, _ emoji: String, _ isOn: Bool) -> LogEvent.Body {
            .reaction(Reaction(messageID: id, messageSeq: seq, user: user, emoji: emoji, isOn: isOn))
        }
        let deletion = LogEvent.Body.deleted(MessageDeletion(messageID: id, messageSeq: 4, by: user))
        let cases: [(LogEvent.Body, LogEvent.Body)] = [
            (edit(4, "secret"), edit(4, "")), (edit(5, "open"), edit(5, "open")),
            (reaction(4, "👍", true), reaction(4, "", false)), (reaction(5, "👍", true), reaction(5, "👍", true)),
            (deletion, deletion), (.joined(User(id: user, name: "u")), .joined(User(id: user, name: "u"))),
        ]
        for (body, shown) in cases {
            #expect(Self.event(6, body).shown(from: 5) == Self.event(6, shown))
            #expect(Self.event(4, body).shown(from: 5) == nil)
        }
    }
}
