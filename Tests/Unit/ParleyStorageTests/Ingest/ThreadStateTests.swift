import ParleyModel
import ParleyStorage
import Testing

@Suite struct ThreadStateTests {
    private let ann = User(id: UserID(trusted: "ann"), name: "ann")

    private func thread(head: Int64) -> ThreadState {
        ThreadState(
            epoch: "e", headSeq: head, headN: 3, headMilliseconds: 500, lastMessageSeq: head, pair: [])
    }

    private func message(seq: Int64, at milliseconds: Int64) -> LogEvent {
        LogEvent(
            thread: ThreadID(trusted: "t"), position: Position(epoch: Epoch("f"), seq: seq),
            milliseconds: milliseconds, messageCount: 0,
            body: .message(Message(id: MessageID(trusted: "m"), sender: ann, text: "text")))
    }

    @Test("an event is appended above the head or at a taken seq, and inserted at a free one")
    func placing() throws {
        let thread = thread(head: 9)
        #expect(try thread.placing(at: 10) { true } == .append(at: 10))
        #expect(try thread.placing(at: 12) { true } == .append(at: 12))
        #expect(try thread.placing(at: 5) { false } == .insert)
        #expect(try thread.placing(at: 5) { true } == .append(at: 10))
    }

    @Test("events of an epoch that has ended are appended above their own seqs")
    func ended() throws {
        let former = Epoch("former")
        var thread = ThreadState(
            epoch: former.successor.text, headSeq: 9, headN: 3, headMilliseconds: 500, lastMessageSeq: 9, pair: [])
        #expect(thread.hasEnded(former))
        #expect(!thread.hasEnded(former.successor))
        #expect(try thread.placing(of: Position(epoch: former, seq: 5)) { false } == .append(at: 10))
        #expect(try thread.placing(of: Position(epoch: former, seq: 10)) { false } == .append(at: 11))
        #expect(try thread.placing(of: Position(epoch: former.successor, seq: 10)) { false } == .append(at: 10))
        thread.noteUsed(Position(epoch: former, seq: 12))
        #expect(thread.headSeq == 12 && thread.epoch == former.successor.text)
        thread.noteUsed(Position(epoch: Epoch("other"), seq: 13))
        #expect(thread.epoch == "other")
    }

    @Test("an event is appended if the thread has another epoch above its seq, which clients know as void")
    func behind() throws {
        let thread = ThreadState(
            epoch: "later", headSeq: 9, headN: 3, headMilliseconds: 500, lastMessageSeq: 9, pair: [])
        #expect(try thread.placing(of: Position(epoch: Epoch("former"), seq: 5)) { false } == .append(at: 10))
        #expect(try thread.placing(of: Position(epoch: Epoch("former"), seq: 10)) { false } == .append(at: 10))
        #expect(try thread.placing(of: Position(epoch: Epoch("later"), seq: 5)) { false } == .insert)
    }

    @Test("a thread that has used every seq rejects further events")
    func full() {
        #expect(throws: UnstorableEvent.self) {
            try thread(head: EventRules.seqs.upperBound).placing(at: 5) { true }
        }
    }

    @Test("dates never decrease, and every message counts")
    func append() {
        var thread = thread(head: 9)
        let event = message(seq: 11, at: 400)
        let place = thread.place(of: event, at: 11)
        #expect(place == EventPlace(seq: 11, n: 4, milliseconds: 500))
        thread.append(event, at: place)
        #expect(thread.headSeq == 11)
        #expect(thread.headN == 4)
        #expect(thread.lastMessageSeq == 11)
        #expect(thread.epoch == "f")
    }

    @Test("a late event's date lies between those of its neighbours", arguments: [(1, 20), (25, 25), (99, 30)])
    func neighbours(requested: Int64, got: Int64) {
        let place = Neighbours(messagesBefore: 2, earliest: 20, latest: 30)
            .place(of: message(seq: 5, at: requested), at: 5)
        #expect(place == EventPlace(seq: 5, n: 3, milliseconds: got))
    }

    @Test("a used seq raises the head and adds no message")
    func used() {
        var thread = thread(head: 9)
        thread.noteUsed(Position(epoch: Epoch("f"), seq: 9))
        #expect(!thread.isChanged)
        thread.noteUsed(Position(epoch: Epoch("f"), seq: 10))
        #expect(thread.headSeq == 10)
        #expect(thread.headN == 3)
    }
}
