import ParleyJSON
import ParleyTerminal
import Testing

@Suite struct LineOutputTests {
    private static let time = LocalTime(2026, 11, 23, 14, 3, 9)

    private func message(
        _ text: String, seq: Int? = 7, isOwn: Bool = false, state: DeliveryState = .stored
    ) -> ShownMessage {
        ShownMessage(
            id: text, thread: "t", seq: seq, senderID: "1", sender: "alice", isOwn: isOwn, text: text, time: Self.time,
            state: state)
    }

    // MARK: Printed messages

    @Test("each state of a message is printed once")
    func eachStateOnce() {
        var printed = PrintedMessages()
        let pending = message("a", seq: nil, isOwn: true, state: .pending)
        #expect(printed.note(pending) == .appeared(pending))
        #expect(printed.note(pending) == nil)
        // A snapshot from before the send does not contain it.
        #expect(printed.update([message("b", seq: 1)], hasOlder: false) == [.appeared(message("b", seq: 1))])
        #expect(printed.messages == [message("b", seq: 1), pending])
        let stored = message("a", seq: 2, isOwn: true)
        #expect(
            printed.update([message("b", seq: 1), stored], hasOlder: false) == [.changed(from: pending, to: stored)])
        #expect(printed.update([message("b", seq: 1), stored], hasOlder: false) == [])
        #expect(printed.note(pending) == nil)
    }

    @Test("a message is removed when it is gone, not when it leaves the window or the cache is loaded anew")
    func removal() {
        var printed = PrintedMessages()
        let all = (1...4).map { (seq: Int) in message("\(seq)", seq: seq) }
        _ = printed.update(all, hasOlder: false)
        #expect(printed.update([], hasOlder: true) == [])
        #expect(printed.update(Array(all[2...]), hasOlder: true) == [])
        #expect(printed.update([all[3]], hasOlder: false) == [.removed(all[2])])
    }

    @Test("commands name a message by seq, by id, or as the last")
    func targets() {
        var printed = PrintedMessages()
        var deleted = message("d", seq: 4, isOwn: true)
        deleted.isDeleted = true
        let messages = [message("a", seq: 1, isOwn: true), message("b", seq: 2), deleted]
        _ = printed.update(messages, hasOlder: false)
        #expect(printed.message(.seq(2), ownOnly: true)?.id == "b")
        #expect(printed.message(.id("d"), ownOnly: false)?.seq == 4)
        #expect(printed.message(.last, ownOnly: false)?.id == "b")
        #expect(printed.message(.last, ownOnly: true)?.id == "a")
        #expect(printed.message(.seq(9), ownOnly: false) == nil)
    }

    // MARK: Plain

    @Test("plain lines")
    func plain() {
        var changed = message("Hello\nyou\u{1B}[31m")
        #expect(PlainLines.line(changed) == "14:03:09 alice: Hello ⏎ you␛[31m")
        changed.isEdited = true
        changed.reactions = [ShownReaction(emoji: "👍", count: 2)]
        changed.parts = [.file(kind: "photo", name: "a.jpg", url: "http://x", mediaType: "image/jpeg", size: 48_000)]
        #expect(
            PlainLines.line(changed) == "14:03:09 alice: Hello ⏎ you␛[31m [photo a.jpg 48 kB] (edited) (👍 2)")
        changed.isDeleted = true
        #expect(PlainLines.line(changed) == "14:03:09 alice: (deleted)")
        #expect(PlainLines.dated(message("x")) == "2026-11-23 14:03:09 alice: x")
    }

    @Test("own messages are printed when they are accepted, changes when they are visible")
    func plainChanges() {
        let pending = message("x", seq: nil, isOwn: true, state: .pending)
        let accepted = message("x", isOwn: true, state: .accepted)
        #expect(PlainLines.change(.appeared(pending)) == nil)
        #expect(PlainLines.change(.changed(from: pending, to: accepted)) == "14:03:09 alice: x")
        #expect(PlainLines.change(.changed(from: accepted, to: message("x", isOwn: true))) == nil)
        #expect(PlainLines.change(.changed(from: message("x"), to: message("y"))) == "14:03:09 alice: y")
        #expect(PlainLines.change(.removed(pending)) == nil)
    }

    @Test("a notice says that a mute has begun, until when and why, and that it has ended")
    func mutes() {
        let mute = ShownMute(milliseconds: 1, until: Self.time, reason: "spam")
        #expect(ShownMute.notice(mute, in: "Tea") == "You are muted in Tea until 2026-11-23 14:03: spam")
        #expect(ShownMute.notice(ShownMute(reason: "spam"), in: "Tea") == "You are muted in Tea: spam")
        #expect(ShownMute.notice(ShownMute(), in: "this thread") == "You are muted in this thread.")
        #expect(ShownMute.notice(nil, in: "Tea") == "Your mute in Tea has ended.")
    }

    @Test(
        "sizes",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1234, "1.2 kB"), (48_321, "48 kB"), (5_000_000, "5 MB"),
        ])
    func sizes(_ bytes: Int, _ text: String) {
        let part = ShownPart.file(kind: "file", name: "a", url: "", mediaType: "", size: bytes)
        #expect(part.label == "[file a \(text)]")
    }

    // MARK: JSON

    @Test("JSON lines have every field with a value, and are valid JSON of the unchanged text")
    func json() throws {
        let hostile = "x\u{1B}[31m\u{9B}2J\u{202E}\u{7F}\u{2028}\"\\👍\n"
        var message = message(hostile, seq: nil, isOwn: true, state: .failed(reason: "no", retryable: true))
        message.replyTo = 3
        message.reactions = [ShownReaction(emoji: "👍", count: 2, isOwn: true)]
        message.parts = [.location(latitude: 47.37, longitude: 8.5)]
        let line = JSONLines.message(message)
        #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) })
        #expect(!line.unicodeScalars.contains { $0.properties.isBidiControl || $0 == "\u{2028}" })
        let tree = try JSONTree(parsing: line)
        #expect(tree["type"]?.text == "message" && tree["text"]?.text == hostile && tree["state"]?.text == "failed")
        #expect(tree["reason"]?.text == "no" && tree["retryable"] == .bool(true) && tree["reply_to"]?.integer == 3)
        #expect(tree["seq"] == nil && tree["change"] == nil && tree["deleted"] == .bool(false))
        #expect(tree["reactions"]?.elements?.first?["count"]?.integer == 2)
        #expect(tree["parts"]?.elements?.first?["kind"]?.text == "location")
    }

    @Test("other JSON lines")
    func otherJSON() {
        #expect(
            JSONLines.state("logged_out", reason: "over") == #"{"type":"state","state":"logged_out","reason":"over"}"#)
        #expect(
            JSONLines.thread("1", title: "T", kind: "room") == #"{"type":"thread","id":"1","title":"T","kind":"room"}"#)
        #expect(JSONLines.change(.removed(message("x"))) == #"{"type":"removed","thread":"t","id":"x"}"#)
        #expect(JSONLines.error(line: 3, "why") == #"{"type":"error","line":3,"reason":"why"}"#)
        let mute = ShownMute(milliseconds: 1_795_255_200_123, until: Self.time, reason: "spam")
        #expect(
            JSONLines.mute(mute, in: "t")
                == #"{"type":"mute","thread":"t","muted":true,"until":1795255200123,"reason":"spam"}"#)
        #expect(
            JSONLines.hindrance(.moderators, in: "t") == #"{"type":"hindrance","thread":"t","reason":"moderators"}"#)
        #expect(JSONLines.hindrance(nil, in: "t") == #"{"type":"hindrance","thread":"t"}"#)
        #expect(JSONLines.mute(nil, in: "t") == #"{"type":"mute","thread":"t","muted":false}"#)
        let row = CommandAnswer.Row("c  used 0 times", [("id", .text("l")), ("code", .text("c")), ("until", nil)])
        #expect(JSONLines.answer(line: 2, row) == #"{"type":"answer","line":2,"id":"l","code":"c"}"#)
        #expect(JSONLines.answered(line: 2, count: 1) == #"{"type":"answered","line":2,"count":1}"#)
        #expect(JSONLines.searched("w", hasMore: true) == #"{"type":"searched","words":"w","has_more":true}"#)
    }
}
