import ParleyModel
import ParleySession
import ParleyWire
import Testing

@Suite struct SessionCommandTests {
    private static let elsewhere = ThreadID(trusted: "elsewhere")

    @Test("a send to one of the client's threads is appended at once")
    func sends() {
        var run = SessionRun()
        let actions = run.send("hi")
        #expect(
            actions == [.append(OutgoingMessage(number: 0, membership: TestClient.roomMembership, text: "hi"))])
        #expect(run.client.taken == 1)
        #expect(run.session.isReading)
    }

    @Test("a read mark of one of the client's threads is passed on, and is not charged as a send")
    func reads() {
        var run = SessionRun()
        #expect(run.receive(.read(TestClient.room)) == [.markRead(TestClient.room)])
        #expect(run.client.taken == 0)
    }

    @Test("a read mark of another thread is dropped")
    func readsElsewhere() {
        var run = SessionRun()
        #expect(run.receive(.read(Self.elsewhere)) == [.drop(.notAMember)])
    }

    @Test(
        "commands of the line dialect are rejected",
        arguments: [ClientCommand.introduce(name: "bob"), .say(text: "hi")])
    func foreignCommands(command: ClientCommand) {
        var run = SessionRun()
        #expect(run.receive(command) == [.drop(.unknownCommand)])
    }

    @Test("a disallowed command is dropped and not charged")
    func refusedByItself() {
        var run = SessionRun()
        #expect(run.receive(refused: .textTooLong) == [.drop(.textTooLong)])
        #expect(run.client.taken == 0)
        #expect(run.send("abc").texts == ["abc"])
    }

    @Test(
        "an invalid frame is dropped with its reason",
        arguments: [
            (CommandError.unknownCommand("x"), DropReason.unknownCommand), (.badText, .badText),
            (.malformed(""), .malformed), (.missing(""), .malformed), (.badThread, .malformed), (.badName, .malformed),
        ])
    func violations(violation: CommandError, reason: DropReason) {
        var run = SessionRun()
        #expect(run.receive(violation) == [.drop(reason)])
    }

    @Test("a rejected message is a dropped frame, and the next is sent")
    func refused() {
        var run = SessionRun()
        for reason in [DropReason.refusedByLog, .readOnly] {
            #expect(run.send("hi").appends.count == 1)
            #expect(run.refuse(reason) == [.drop(reason)])
        }
        #expect(run.send("next").texts == ["next"])
    }

    // MARK: Lookups

    @Test("an unknown thread is looked up, and reading pauses meanwhile")
    func findsThread() {
        var run = SessionRun()
        #expect(run.send("hi", to: Self.elsewhere) == [.findThread(Self.elsewhere), .pauseReading])
        #expect(!run.session.isReading)
        let membership = Membership(
            thread: ThreadInfo(id: Self.elsewhere, kind: .room, title: "Elsewhere"), role: .member)
        #expect(
            run.resolveThread(membership)
                == [.append(OutgoingMessage(number: 0, membership: membership, text: "hi")), .resumeReading])
        #expect(run.session.isReading)
    }

    @Test("a send to a thread without membership is dropped and charged")
    func notAMember() {
        var run = SessionRun()
        _ = run.send("hi", to: Self.elsewhere)
        #expect(run.resolveThread(nil) == [.drop(.notAMember), .resumeReading])
        #expect(run.client.taken == 1)
    }

    @Test("a user is found by name, and the direct thread derived")
    func findsUser() throws {
        var run = SessionRun()
        #expect(
            run.receive(.sendDirect(toUser: "bob", text: "hi")) == [.findUser(name: "bob"), .pauseReading])
        let message = try #require(run.resolveUser(TestClient.bob).appends.first)
        #expect(message.membership.peer == TestClient.bob)
        #expect(message.membership.thread.kind == .direct)
        #expect(message.membership.thread.title == "bob")
        #expect(message.membership.thread.id == ThreadInfo.directID(TestClient.alice.id, TestClient.bob.id))
    }

    @Test("a known direct thread needs no lookup")
    func knownPeer() {
        var run = SessionRun()
        let membership = Membership.direct(of: TestClient.alice.id, with: TestClient.bob)
        run.client.direct["bob"] = membership
        #expect(
            run.receive(.sendDirect(toUser: "bob", text: "hi"))
                == [.append(OutgoingMessage(number: 0, membership: membership, text: "hi"))])
    }

    @Test("an unknown user, or the client itself, is answered and charged", arguments: [nil, TestClient.alice])
    func unknownUser(user: User?) {
        var run = SessionRun()
        _ = run.receive(.sendDirect(toUser: "nobody", text: "hi"))
        #expect(
            run.resolveUser(user) == [.replyUnknownUser(name: "nobody"), .drop(.unknownUser), .resumeReading])
        #expect(run.client.taken == 1)
    }

    @Test("unknown users are not abuse, but lookups are limited like sends")
    func unknownUsers() {
        var run = SessionRun()
        for _ in 0..<30 {
            #expect(run.receive(.sendDirect(toUser: "nobody", text: "hi")).contains(.findUser(name: "nobody")))
            #expect(run.resolveUser(nil).closes.isEmpty)
        }
        run.client.waits = [50_000]
        #expect(run.receive(.sendDirect(toUser: "nobody", text: "hi")) == [.wake(after: 50_000)])
        #expect(run.wake(after: 50_000) == [.findUser(name: "nobody"), .pauseReading])
    }

    @Test("sends after a lookup wait for it, in order")
    func orderBehindLookUp() {
        var run = SessionRun()
        _ = run.receive(.sendDirect(toUser: "bob", text: "1"))
        #expect(run.send("2").isEmpty)
        #expect(run.receive(.sendDirect(toUser: "carol", text: "3")).isEmpty)
        #expect(run.send("4").isEmpty)
        let actions = run.resolveUser(TestClient.bob)
        #expect(actions.texts == ["1", "2"])
        #expect(actions.last == .findUser(name: "carol"))
        #expect(run.resolveUser(nil).texts == ["4"])
    }

    @Test("an unexpected result is ignored")
    func strayReplies() {
        var run = SessionRun()
        #expect(run.resolveUser(TestClient.bob).isEmpty)
        #expect(run.resolveThread(TestClient.roomMembership).isEmpty)
        #expect(run.failLookUp().isEmpty)
        #expect(run.wake().isEmpty)
        _ = run.receive(.sendDirect(toUser: "bob", text: "1"))
        #expect(run.resolveThread(TestClient.roomMembership).isEmpty)
        #expect(run.wake().isEmpty)
        #expect(run.resolveUser(TestClient.bob).texts == ["1"])
    }

    // MARK: Abuse

    @Test("the 20th bad frame within 10 s closes with 4002, not the 19th")
    func abuse() {
        var run = SessionRun()
        for _ in 0..<19 {
            #expect(run.receive(.malformed("")) == [.drop(.malformed)])
            run.now += 526_315
        }
        #expect(run.now < 10_000_000)
        #expect(run.receive(.malformed("")) == [.drop(.malformed), .close(.abuse)])
        #expect(CloseReason.abuse.code == 4002)
        #expect(!run.session.isReading)
    }

    @Test("invalid frames of all kinds count together")
    func mixedAbuse() {
        var run = SessionRun()
        for _ in 0..<4 {
            #expect(run.receive(.malformed("")).closes.isEmpty)
            #expect(run.receive(refused: .textTooLong).closes.isEmpty)
            #expect(run.receive(.read(Self.elsewhere)).closes.isEmpty)
            #expect(run.receive(.say(text: "")).closes.isEmpty)
            _ = run.send("x", to: Self.elsewhere)
            let actions = run.resolveThread(nil)
            #expect(actions.closes.isEmpty == (run.client.taken < 4))
        }
        #expect(!run.session.isReading)
    }

    @Test("bursts of 19 bad frames that begin 10 s apart are never abuse")
    func bursts() {
        var run = SessionRun()
        for _ in 0..<50 {
            for _ in 0..<19 { #expect(run.receive(.malformed("")).closes.isEmpty) }
            run.now += 10_000_000
        }
    }

    @Test(
        "a slow trickle of bad frames is never abuse", arguments: [526_316, 600_000, 1_000_000, 9_999_999] as [Int64])
    func trickle(interval: Int64) {
        var run = SessionRun()
        for _ in 0..<1000 {
            #expect(run.receive(.malformed("")).closes.isEmpty)
            run.now += interval
        }
    }

    @Test("any 20 bad frames within 10 s are abuse")
    func anyWindow() {
        for offset in stride(from: Int64(0), to: 20_000_000, by: 500_000) {
            var run = SessionRun()
            _ = run.receive(.malformed(""))
            run.now += offset + 10_000_000
            for _ in 0..<19 { #expect(run.receive(.malformed("")).closes.isEmpty) }
            #expect(run.receive(.malformed("")).closes == [.abuse], "\(offset)")
        }
    }

    // MARK: Closing

    @Test("a closed session emits no actions")
    func closed() throws {
        var run = SessionRun()
        var messages: [OutgoingMessage] = []
        for _ in 0..<256 { messages += run.send("x").appends }
        #expect(!run.session.isReading)
        run.session.closed()
        #expect(run.send("x").isEmpty)
        #expect(run.receive(.malformed("")).isEmpty)
        #expect(run.receive(.read(TestClient.room)).isEmpty)
        for message in messages[0..<100] { #expect(run.fail(message).isEmpty) }
        for _ in 0..<156 { #expect(run.accept().isEmpty) }
        #expect(run.wake(after: 1_000_000).isEmpty)
        #expect(!run.session.isReading)
    }

    @Test("no action follows the close, not even resumeReading")
    func closeIsLast() {
        var run = SessionRun()
        for _ in 0..<19 { _ = run.receive(.malformed("")) }
        _ = run.send("x", to: Self.elsewhere)
        #expect(run.resolveThread(nil) == [.drop(.notAMember), .close(.abuse)])
    }

    @Test("a lookup result after the close is ignored")
    func lateLookUp() {
        var run = SessionRun()
        _ = run.receive(.sendDirect(toUser: "bob", text: "hi"))
        run.session.closed()
        #expect(run.resolveUser(TestClient.bob).isEmpty)
        #expect(run.failLookUp().isEmpty)
    }

    @Test("every close reason fits into a close frame")
    func reasonsFit() {
        let reasons: [CloseReason] = [
            .goingAway, .sendsWaitTooLong, .unavailable, .sessionRevoked, .abuse, .expired, .lostTrack, .silent,
        ]
        for reason in reasons {
            #expect(reason.text.utf8.count <= 123)
            #expect(!reason.text.isEmpty)
        }
    }

    @Test("drop reasons are distinct valid metric labels")
    func dropLabels() {
        let labels = DropReason.allCases.map(\.rawValue)
        #expect(Set(labels).count == labels.count)
        #expect(labels.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "_" } })
    }
}
