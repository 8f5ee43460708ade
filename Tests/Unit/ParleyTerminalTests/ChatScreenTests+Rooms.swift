import ParleyTerminal
import Testing

/// Details of rooms, slow mode and blocks on the screen.
extension ChatScreenTests {
    @Test("commands about the room concern the open one, and blocks none")
    func roomCommands() {
        var harness = ScreenHarness.room([])
        harness.type("/slow 30s")
        harness.press(.enter)
        #expect(harness.taken() == [.room(thread: "t", .slowMode(seconds: 30))])
        harness.press(.next)
        _ = harness.taken()
        harness.type("/archive")
        harness.press(.enter)
        #expect(harness.taken() == [] && harness.lines[23].contains("Open a room first"))
        harness.type("/block bob")
        harness.press(.enter)
        #expect(harness.taken() == [.room(thread: "u", .block(user: "bob"))])
    }

    @Test("the header says why and until when the user may not write, and a notice tells of a change")
    func hindrance() {
        var harness = ScreenHarness.room([], columns: 120)
        func thread(_ hindrance: ShownHindrance? = nil, slowUntil: LocalTime? = nil) -> ShownThread {
            ShownThread(id: "t", title: "Garden", hindrance: hindrance, topic: "Planting", slowUntil: slowUntil)
        }
        harness.send(.threads([thread()]))
        #expect(harness.lines[0].contains("Planting"))
        for (reason, label, notice) in [
            (.archived, "archived", "it is archived"),
            (.moderators, "only moderators write", "only its owner and moderators can"),
            (.readOnly, "read-only", "you may only read"), (.blocked, "blocked", "No messages are possible"),
        ] as [(ShownHindrance, String, String)] {
            harness.send(.threads([thread(reason)]))
            #expect(harness.lines[0].contains(label) && harness.lines[23].contains(notice))
        }
        harness.send(.threads([thread()]))
        #expect(harness.lines[23].contains("You can write in Garden again."))
        harness.send(.threads([thread(slowUntil: LocalTime(2026, 11, 23, 14, 5, 33))]))
        #expect(harness.lines[0].contains("slow mode, next message at 14:05:33"))
    }

    @Test("messages of a blocked user are folded while the block lasts")
    func folded() {
        var harness = ScreenHarness.room([ScreenHarness.message(1, "Buy tomatoes")])
        #expect(harness.line("Buy tomatoes") != nil)
        harness.send(.blocks(["bob"]))
        #expect(harness.line("Buy tomatoes") == nil && harness.line("from a user that you block") != nil)
        harness.show([ScreenHarness.message(1, "Buy tomatoes"), ScreenHarness.message(2, "now", by: "carl")])
        #expect(harness.line("Buy tomatoes") == nil && harness.line("now") != nil)
        harness.send(.blocks([]))
        #expect(harness.line("Buy tomatoes") != nil)
    }
}
