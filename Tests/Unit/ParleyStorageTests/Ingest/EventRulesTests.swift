import ParleyModel
import ParleyStorage
import Testing

@Suite struct EventRulesTests {
    private let ann = User(id: UserID(trusted: "ann"), name: "ann")

    private func event(_ body: LogEvent.Body, seq: Int64 = 1, milliseconds: Int64 = 1) -> LogEvent {
        LogEvent(
            thread: ThreadID(trusted: "t"), position: Position(epoch: Epoch("e"), seq: seq),
            milliseconds: milliseconds, messageCount: 0, body: body)
    }

    private func message(clientID: String) -> LogEvent.Body {
        .message(Message(id: MessageID(trusted: "m"), sender: ann, text: "text", clientID: clientID))
    }

    @Test("a client_id and a title may be as long as an index holds, and no longer")
    func indexed() {
        let longest = String(repeating: "é", count: EventRules.indexedBytes / 2)
        #expect(EventRules.allow(event(message(clientID: longest))))
        #expect(!EventRules.allow(event(message(clientID: longest + "e"))))
        #expect(EventRules.allow(event(.renamed(title: longest, by: ann.id))))
        #expect(!EventRules.allow(event(.renamed(title: longest + "e", by: ann.id))))
    }

    @Test("a client_id at the listeners' limit can be stored, whatever its characters")
    func clientIDOfListeners() {
        #expect(EventRules.allow(event(message(clientID: String(repeating: "\u{10FFFF}", count: 64)))))
    }

    @Test("seqs are those that JavaScript represents exactly", arguments: [(0, false), (1, true), (1 << 53, true)])
    func seqs(seq: Int64, isAllowed: Bool) {
        #expect(EventRules.allow(event(message(clientID: "c"), seq: seq)) == isAllowed)
        #expect(!EventRules.allow(event(message(clientID: "c"), seq: (1 << 53) + 1)))
    }

    @Test("a reason never quotes the event")
    func reasons() {
        for body in [message(clientID: "secret\0"), .renamed(title: "secret\0", by: ann.id)] {
            do {
                try EventRules.check(event(body))
                Issue.record("it was allowed")
            } catch {
                #expect(!error.reason.contains("secret"))
            }
        }
    }
}
