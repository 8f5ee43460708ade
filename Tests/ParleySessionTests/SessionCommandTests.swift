import ParleyModel
import ParleySession
import ParleyWire
import Testing

@Suite struct SessionCommandTests {
    private static let elsewhere = ThreadID(trusted: "elsewhere")

    @Test("a send to a thread of the client is appended at once")
    func sends() {
        var run = SessionRun()
        let actions = run.send("hi")
        #expect(
            actions == [.append(OutgoingMessage(number: 0, membership: TestClient.roomMembership, text: "hi"))])
        #expect(run.client.taken == 1)
        #expect(run.session.isReading)
    }

    @Test("a read mark of a thread of the client is passed on, and costs nothing of the rate")
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
        "commands of the line door are none here", arguments: [ClientCommand.introduce(name: "bob"), .say(text: "hi")])
    func foreignCommands(command: ClientCommand) {
        var run = SessionRun()
        #expect(run.receive(command) == [.drop(.unknownCommand)])
    }

    @Test("what is refused by itself is dropped, and charged nothing")
    func refusedByItself() {
        var run = SessionRun()
        #expect(run.receive(refused: .textTooLong) == [.drop(.textTooLong)])
        #expect(run.client.taken == 0)
        #expect(run.send("abc").texts == ["abc"])
    }

    @Test(
        "a frame that is no command is dropped with its reason",
        arguments: [
            (CommandError.unknownCommand("x"), DropReason.unknownCommand), (.badText, .badText),
            (.malformed(""), .malformed), (.missing(""), .malformed), (.badThread, .malformed), (.badName, .malformed),
        ])
    func violations(violation: CommandError, reason: DropReason) {
        var run = SessionRun()
        #expect(run.receive(violation) == [.drop(reason)])
    }

    @Test("a refusal of a message is a dropped frame, and the next goes on")
    func refused() {
        var run = SessionRun()
        for reason in [DropReason.refusedByLog, .readOnly] {
            #expect(run.send("hi").appends.count == 1)
            #expect(run.refuse(reason) == [.drop(reason)])
        }
        #expect(run.send("next").texts == ["next"])
    }

    // MARK: Look-ups

    @Test("a thread that is not known here is looked up, and nothing is read meanwhile")
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

    @Test("a thread that the client is not in costs the frame and a send")
    func notAMember() {
        var run = SessionRun()
        _ = run.send("hi", to: Self.elsewhere)
        #expect(run.resolveThread(nil) == [.drop(.notAMember), .resumeReading])
        #expect(run.client.taken == 1)
    }

    @Test("a user is found by name, and the thread with them made up")
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

    @Test("a direct thread that is known needs no look-up")
    func knownPeer() {
        var run = SessionRun()
        let membership = run.client.directMembership(with: TestClient.bob)
        run.client.direct["bob"] = membership
        #expect(
            run.receive(.sendDirect(toUser: "bob", text: "hi"))
                == [.append(OutgoingMessage(number: 0, membership: membership, text: "hi"))])
    }

    @Test("an unknown user, or the client itself, is answered as such and charged", arguments: [nil, TestClient.alice])
    func unknownUser(user: User?) {
        var run = SessionRun()
        _ = run.receive(.sendDirect(toUser: "nobody", text: "hi"))
        #expect(
            run.resolveUser(user) == [.replyUnknownUser(name: "nobody"), .drop(.unknownUser), .resumeReading])
        #expect(run.client.taken == 1)
    }

    @Test("unknown users are no abuse, but nobody looks up more than they may send")
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

    @Test("sends behind a look-up wait for it, in order")
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

    @Test("an answer that nobody waits for changes nothing")
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

    @Test("frames of all bad kinds count together")
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

    @Test("bursts of 19 with 10 s between their beginnings are no abuse, however often")
    func bursts() {
        var run = SessionRun()
        for _ in 0..<50 {
            for _ in 0..<19 { #expect(run.receive(.malformed("")).closes.isEmpty) }
            run.now += 10_000_000
        }
    }

    @Test("a slow trickle never is", arguments: [526_316, 600_000, 1_000_000, 9_999_999] as [Int64])
    func trickle(interval: Int64) {
        var run = SessionRun()
        for _ in 0..<1000 {
            #expect(run.receive(.malformed("")).closes.isEmpty)
            run.now += interval
        }
    }

    @Test("20 within 10 s are abuse wherever they fall")
    func anyWindow() {
        for offset in stride(from: Int64(0), to: 20_000_000, by: 500_000) {
            var run = SessionRun()
            _ = run.receive(.malformed(""))
            run.now += offset + 10_000_000
            for _ in 0..<19 { #expect(run.receive(.malformed("")).closes.isEmpty) }
            #expect(run.receive(.malformed("")).closes == [.abuse], "\(offset)")
        }
    }

    // MARK: Ends

    @Test("a closed session does nothing more")
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

    @Test("nothing follows the close, not even a resumption of reading")
    func closeIsLast() {
        var run = SessionRun()
        for _ in 0..<19 { _ = run.receive(.malformed("")) }
        _ = run.send("x", to: Self.elsewhere)
        #expect(run.resolveThread(nil) == [.drop(.notAMember), .close(.abuse)])
    }

    @Test("an answer to a look-up after the end changes nothing")
    func lateLookUp() {
        var run = SessionRun()
        _ = run.receive(.sendDirect(toUser: "bob", text: "hi"))
        run.session.closed()
        #expect(run.resolveUser(TestClient.bob).isEmpty)
        #expect(run.failLookUp().isEmpty)
    }

    @Test("every reason to close fits into a close frame")
    func reasonsFit() {
        let reasons: [CloseReason] = [
            .goingAway, .sendsWaitTooLong, .unavailable, .sessionRevoked, .abuse, .expired, .lostTrack, .silent,
        ]
        for reason in reasons {
            #expect(reason.text.utf8.count <= 123)
            #expect(!reason.text.isEmpty)
        }
    }

    @Test("the names of reasons to drop are fit for labels, and no two are the same")
    func dropLabels() {
        let labels = DropReason.allCases.map(\.rawValue)
        #expect(Set(labels).count == labels.count)
        #expect(labels.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "_" } })
    }
}
