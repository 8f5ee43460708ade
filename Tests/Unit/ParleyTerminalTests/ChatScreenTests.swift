import ParleyTerminal
import Testing

@Suite struct ChatScreenTests {
    private typealias Harness = ScreenHarness

    @Test("messages stand above the composer, with who and when")
    func room() {
        var harness = Harness.room([Harness.message(1, "Hello"), Harness.message(2, "Hi", by: "alice")])
        #expect(harness.lines.count == 24)
        #expect(harness.lines[0].contains("alice · Garden") && harness.lines[0].contains("connected"))
        #expect(harness.line("Hello")?.hasSuffix("│14:03 bob  Hello") == true)
        #expect(harness.line("Hi")?.hasSuffix("│14:03 alice  Hi ✓") == true)
        #expect(harness.lines[21].contains("Hi") && harness.lines[22].hasPrefix("> "))
        #expect(harness.line("# Garden") != nil && harness.line("@ bob") != nil)
        #expect(harness.text.contains("23 November 2026"))
        harness.send(.threads([ShownThread(id: "t", title: "Garden", typing: ["bob"], receipts: [2])]))
        #expect(harness.line("Hi")?.hasSuffix("✓✓") == true && harness.lines[0].contains("bob is typing…"))
    }

    @Test("what is typed is sent, and typing is shown to others")
    func send() {
        var harness = Harness.room([])
        harness.type("Hi ")
        #expect(harness.effects.contains(.typing(thread: "t", isOn: true)))
        harness.press(.newline)
        harness.type("you")
        #expect(harness.screen.frame.cursor?.row == 22 && harness.screen.frame.cursor?.column == 5)
        harness.press(.enter)
        #expect(harness.taken() == [.send(thread: "t", text: "Hi \nyou", replyTo: nil)])
        harness.press(.enter, .text(" "), .enter)
        #expect(harness.taken() == [])
        harness.press(.control("u"))
        harness.type("//etc")
        harness.press(.enter)
        #expect(harness.taken() == [.send(thread: "t", text: "/etc", replyTo: nil)])
    }

    @Test("a selected message is answered, edited, reacted to and deleted")
    func selection() {
        var harness = Harness.room([Harness.message(1, "Hello"), Harness.message(2, "mine", by: "alice")])
        harness.press(.up, .up, .text("r"))
        #expect(harness.line("Reply to bob: Hello") != nil)
        harness.type("yes")
        harness.press(.enter)
        #expect(harness.taken() == [.send(thread: "t", text: "yes", replyTo: 1)])
        harness.press(.up, .text("e"), .text("!"), .enter)
        #expect(harness.taken() == [.edit(thread: "t", id: "m2", text: "mine!")])
        harness.press(.up, .up, .text("e"))
        #expect(harness.text.contains("Only your own messages"))
        harness.press(.text("+"), .text("2"))
        #expect(harness.taken() == [.react(thread: "t", id: "m1", emoji: "❤️", isOn: true)])
        harness.press(.up, .text("d"), .text("n"), .up, .text("d"), .text("y"))
        #expect(harness.taken() == [.delete(thread: "t", id: "m2")])
        harness.press(.escape)
        harness.press(.up, .text("r"), .escape)
        #expect(harness.line("Reply to") == nil)
    }

    @Test("an own reaction is taken back")
    func reaction() {
        var message = Harness.message(1, "Hello")
        message.reactions = [ShownReaction(emoji: "👍", count: 2, isOwn: true)]
        var harness = Harness.room([message])
        #expect(harness.line("👍 2") != nil)
        harness.press(.up, .text("+"), .text("1"))
        #expect(harness.taken() == [.react(thread: "t", id: "m1", emoji: "👍", isOn: false)])
    }

    @Test("scrolling back keeps the view where it is while messages arrive, and loads more at the top")
    func scrolling() {
        var harness = Harness.room([])
        harness.show(Harness.many(1...100), hasOlder: true)
        #expect(harness.lines[21].contains("number 100.") && harness.lines[1].contains("number 80."))
        harness.press(.pageUp)
        #expect(harness.lines[21].contains("number 81."))
        harness.show(Harness.many(1...110), hasOlder: true)
        #expect(harness.lines[21].contains("number 81.") && harness.lines[23].contains("Esc newest"))
        harness.press(.pageDown, .pageDown, .pageDown)
        #expect(harness.lines[21].contains("number 110."))
        #expect(harness.taken() == [])
        for _ in 0..<7 { harness.press(.pageUp) }
        #expect(harness.taken().contains(.loadOlder) && harness.lines[1].contains("23 November"))
        harness.show(Harness.many(-49...110), hasOlder: true)
        #expect(harness.line("number 1.") != nil && harness.lines[2].contains("number 1."))
        harness.press(.escape)
        #expect(harness.lines[21].contains("number 110."))
    }

    @Test("a jump shows and selects its message; newer ones are loaded at the bottom")
    func jump() {
        var harness = Harness.room([])
        harness.press(.control("f"))
        harness.type("words")
        harness.press(.enter)
        #expect(harness.taken() == [.search(words: "words")])
        harness.send(.found(words: "words", [Harness.message(500, "the words")], hasMore: true))
        #expect(harness.line("1+ found: words") != nil && harness.line("Garden · bob: the words") != nil)
        harness.press(.enter)
        #expect(harness.taken() == [.jump(seq: 500)])
        harness.show(Harness.many(480...540), hasOlder: true, hasNewer: true)
        #expect(harness.line("number 500.") != nil && harness.lines[23].contains("r reply"))
        harness.press(.escape)
        for _ in 0..<3 { harness.press(.pageDown) }
        #expect(harness.taken() == [.loadNewer, .loadNewer])
        #expect(harness.lines[21].contains("number 540."))
        harness.show(Harness.many(480...600), hasOlder: true, hasNewer: false)
        #expect(harness.lines[21].contains("number 540."))
        harness.press(.end)
        #expect(harness.lines[21].contains("number 600."))
    }

    @Test("the selected message stays visible when the size changes")
    func resizedSelection() {
        var harness = Harness.room(Harness.many(1...100))
        harness.press(.up, .up, .up, .up)
        for (columns, rows) in [(40, 12), (200, 50), (20, 6), (80, 24)] {
            harness.send(.resized(columns: columns, rows: rows))
            #expect(harness.line("number 97.") != nil || columns == 20 && harness.line("97.") != nil)
        }
    }

    @Test("what is visible at the end is marked as read once; what is scrolled away from, later")
    func readMarks() {
        var harness = Harness.room(Harness.many(1...50))
        harness.press(.pageUp)
        harness.send(.threads([ShownThread(id: "t", title: "Garden", unread: 1, readSeq: 50)]))
        harness.show(Harness.many(1...51))
        #expect(harness.taken() == [])
        harness.press(.pageDown, .pageDown)
        #expect(harness.taken() == [.markRead(thread: "t", seq: 51)])
        harness.press(.text("x"))
        #expect(harness.taken() == [])
    }

    @Test("what was unread when a conversation was opened is divided from what was not")
    func divider() {
        var harness = Harness()
        harness.send(.threads([ShownThread(id: "t", title: "Garden", unread: 2, readSeq: 1)]))
        harness.show(Harness.many(1...3))
        let divider = harness.lines.firstIndex { $0.contains("── new ──") }
        let unread = harness.lines.firstIndex { $0.contains("number 2.") }
        #expect(divider != nil && divider.map { $0 + 1 } == unread)
    }

    @Test("drafts stay with their conversation")
    func drafts() {
        var harness = Harness.room([])
        harness.type("for the garden")
        harness.press(.next)
        #expect(harness.taken() == [.open(thread: "u")] && harness.lines[22] == "> ")
        harness.type("for bob")
        harness.press(.previous)
        #expect(harness.lines[22] == "> for the garden")
        harness.press(.control("n"))
        #expect(harness.lines[22] == "> for bob")
    }

    @Test("the list of conversations: unread, online, choosing")
    func inbox() {
        var harness = Harness.room([])
        harness.send(
            .threads([
                ShownThread(id: "t", title: "Garden"),
                ShownThread(id: "u", title: "bob", isDirect: true, unread: 3, isOnline: true),
            ]))
        #expect(harness.line("● bob")?.contains(" 3 ") == true)
        harness.press(.tab, .down, .enter)
        #expect(harness.taken() == [.open(thread: "u")])
        harness.press(.tab, .text("l"), .text("y"))
        #expect(harness.taken() == [.leave(thread: "u")])
        harness.press(.control("p"))
        _ = harness.taken()
        harness.press(.alt("a"))
        #expect(harness.taken() == [.open(thread: "u")])
    }

    @Test("without a conversation a room is asked for, with those that exist")
    func firstStart() {
        var harness = Harness()
        harness.send(.connection(.connecting, unsent: 0))
        harness.send(.threads([]))
        #expect(harness.taken() == [])
        harness.send(.connection(.connected, unsent: 0))
        #expect(harness.taken() == [.suggest(.room, prefix: "")])
        harness.send(.suggestions(.room, prefix: "", ["Garden", "Tea"]))
        #expect(harness.line("  Tea") != nil && harness.lines[22].hasPrefix("Room: "))
        harness.press(.down, .down, .enter)
        #expect(harness.taken() == [.join(title: "Tea")])
        harness.send(.threads([ShownThread(id: "x", title: "Tea")]))
        harness.send(.entered(thread: "x"))
        #expect(harness.taken() == [.open(thread: "x")] && harness.lines[0].contains("Tea"))
    }

    @Test("commands and their errors")
    func commands() {
        var harness = Harness.room([])
        for (text, effect) in [
            ("/join Tea room", ScreenEffect.join(title: "Tea room")), ("/direct carl", .direct(user: "carl")),
            ("/search a b", .search(words: "a b")), ("/members", .members(thread: "t")), ("/quit", .quit),
            ("/goto 2026-11-02", .jumpToDate(year: 2026, month: 11, day: 2)),
        ] {
            harness.type(text)
            harness.press(.enter)
            #expect(harness.taken() == [effect])
        }
        for text in ["/goto 2026-13-02", "/sing", "/join", "/leave"] {
            harness.type(text)
            harness.press(.enter)
            if text == "/sing" { #expect(harness.lines[23].contains("/join TITLE")) }
            harness.press(.escape)
        }
        #expect(harness.taken().allSatisfy { if case .suggest = $0 { true } else { false } })
    }

    @Test("the user's own mute is in the header, and its beginning, changes and end are notices")
    func mute() {
        var harness = Harness.room([])
        func list(_ mute: ShownMute?, _ other: ShownMute? = nil) -> ScreenEvent {
            .threads([
                ShownThread(id: "t", title: "Garden", mute: mute), ShownThread(id: "u", title: "Tea", mute: other),
            ])
        }
        harness.send(list(nil))
        #expect(!harness.text.contains("mute"))
        harness.send(list(ShownMute(until: LocalTime(2026, 11, 27, 14, 5), reason: "spam")))
        #expect(harness.lines[0].contains("Garden · muted until 2026-11-27 14:05"))
        #expect(harness.lines[23].contains("You are muted in Garden until 2026-11-27 14:05: spam"))
        harness.press(.text("x"))
        #expect(!harness.lines[23].contains("muted") && harness.lines[0].contains("muted"))
        harness.send(list(ShownMute(), ShownMute()))
        #expect(harness.lines[0].contains("Garden · muted ") && harness.lines[23].contains("You are muted in Garden."))
        harness.send(list(nil, ShownMute()))
        #expect(harness.lines[23].contains("Your mute in Garden has ended.") && !harness.lines[0].contains("mute"))
        harness.send(list(nil, nil))
        #expect(harness.lines[23].contains("Your mute in Tea has ended."))
    }

    @Test("commands of moderators concern the open room")
    func sanctions() {
        var harness = Harness.room([])
        for (text, effect) in [
            (
                "/mute bob 10m too loud",
                .sanction(thread: "t", .mute(user: "bob", duration: .seconds(600), reason: "too loud"))
            ),
            ("/unban bob", .sanction(thread: "t", .unban(user: "bob"))), ("/sanctions", .sanctions(thread: "t")),
        ] as [(String, ScreenEffect)] {
            harness.type(text)
            harness.press(.enter)
            #expect(harness.taken() == [effect])
        }
        harness.type("/ban bob 0m")
        harness.press(.enter)
        #expect(harness.taken() == [] && harness.lines[23].contains("a time is 1s to 3650d"))
        harness.press(.next)
        _ = harness.taken()
        harness.type("/ban bob")
        harness.press(.enter)
        #expect(harness.taken() == [] && harness.lines[23].contains("Open a room first"))
    }

    @Test("commands about ways into rooms concern the open room, or none; their answers are a page, a notice or a room")
    func entrances() {
        var harness = Harness.room([])
        for (text, effect) in [
            ("/link 7d 10", .entrance(thread: "t", .createLink(duration: .seconds(604_800), uses: 10))),
            ("/group bob,carl Feast", .entrance(thread: "t", .createGroup(users: ["bob", "carl"], title: "Feast"))),
        ] as [(String, ScreenEffect)] {
            harness.type(text)
            harness.press(.enter)
            #expect(harness.taken() == [effect])
        }
        let row = CommandAnswer.Row("Zk3  used 0 times", [])
        harness.send(CommandAnswer("A link", rows: [row]).event)
        #expect(harness.line("A link") != nil && harness.line("Zk3  used 0 times") != nil)
        harness.press(.escape)
        harness.send(CommandAnswer("The link is revoked.").event)
        #expect(harness.lines[23].contains("The link is revoked."))
        harness.press(.next)
        _ = harness.taken()
        harness.type("/links")
        harness.press(.enter)
        #expect(harness.taken() == [] && harness.lines[23].contains("Open a room first"))
        harness.type("/join-link Zk3")
        harness.press(.enter)
        #expect(harness.taken() == [.entrance(thread: "u", .joinLink(code: "Zk3"))])
        harness.send(CommandAnswer("You are a member.", rows: [row], entered: "t").event)
        #expect(harness.taken() == [.open(thread: "t")])
    }

    @Test("new invitations and new requests to the open room are told once")
    func notices() {
        var harness = Harness.room([])
        let attic = ShownInvitation(id: "a", title: "Attic", by: "bob")
        harness.send(.invitations([attic]))
        #expect(harness.lines[23].contains("bob invites you to Attic"))
        harness.press(.escape)
        harness.send(.invitations([attic]))
        #expect(!harness.lines[23].contains("Attic"))
        harness.send(.invitations([attic, ShownInvitation(id: "c", title: "Cellar", by: "carl")]))
        #expect(harness.lines[23].contains("carl invites you to Cellar"))
        harness.send(.requests(thread: "u", ["dora"]))
        #expect(!harness.lines[23].contains("dora"))
        harness.send(.requests(thread: "t", ["dora"]))
        #expect(harness.lines[23].contains("dora asks to be let in"))
        harness.press(.escape)
        harness.send(.requests(thread: "t", ["dora"]))
        #expect(!harness.lines[23].contains("dora"))
    }

    @Test("a failure and what can be done about it are shown")
    func failure() {
        let failed = Harness.message(
            nil, "lost", by: "alice", state: .failed(reason: "not a member", retryable: true))
        var harness = Harness.room([failed])
        #expect(harness.line("not sent: not a member") != nil)
        harness.press(.up, .text("R"), .text("x"))
        #expect(harness.taken() == [.retry(thread: "t", id: "lost"), .discard(thread: "t", id: "lost")])
    }

    @Test("Ctrl-C clears, then quits; other keys for the whole screen")
    func wholeScreen() {
        var harness = Harness.room([])
        harness.type("x")
        harness.press(.control("c"))
        #expect(harness.taken() == [])
        harness.press(.control("c"), .control("z"), .control("l"), .control("q"))
        #expect(harness.taken() == [.quit, .suspend, .redraw, .quit])
        harness.press(.function(1))
        #expect(harness.lines[1].hasPrefix("Keys") && harness.lines.allSatisfy { !$0.contains("…l") })
        harness.press(.escape)
        #expect(harness.line("Keys") == nil)
    }

    @Test("the composer takes as many characters as the server says, in every conversation")
    func textLimit() {
        var harness = ScreenHarness.room([])
        harness.send(.textLimit(6))
        for thread in ["t", "u"] {
            harness.send(.entered(thread: thread))
            harness.press(.paste("12345678"), .enter)
            #expect(harness.taken().contains(.send(thread: thread, text: "123456", replyTo: nil)))
        }
    }

    @Test("the user is told of what is not done because too much is waiting")
    func fullQueue() async {
        let queue = EffectQueue(limit: 2)
        #expect(queue.add(.loadOlder) == nil && queue.add(.loadNewer) == nil)
        guard case .notice(let text) = queue.add(.jumpToNewest) else {
            Issue.record("no notice")
            return
        }
        #expect(text.contains("not done"))
        var kept: [ScreenEffect] = []
        for await effect in queue.effects {
            kept.append(effect)
            if kept.count == 2 { break }
        }
        #expect(kept == [.loadOlder, .loadNewer])
    }
}
