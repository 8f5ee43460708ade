import ParleyModel
import ParleySession
import ParleyWire
import Testing

@Suite struct SessionWaitingTests {
    private static let second: Int64 = 1_000_000

    // MARK: Rate

    @Test("a send above the rate waits, and so do those after it")
    func waitsForRate() {
        var run = SessionRun()
        run.client.waits = [0, 30_000]
        #expect(run.send("1").texts == ["1"])
        #expect(run.send("2") == [.wake(after: 30_000)])
        #expect(run.send("3").isEmpty)
        #expect(run.session.isReading)
        #expect(run.wake(after: 30_000).texts == ["2", "3"])
    }

    @Test("it keeps waiting if the delay was too short")
    func waitsAgain() {
        var run = SessionRun()
        run.client.waits = [30_000, 20_000]
        #expect(run.send("1") == [.wake(after: 30_000)])
        #expect(run.wake(after: 30_000) == [.wake(after: 20_000)])
        #expect(run.wake(after: 20_000).texts == ["1"])
    }

    @Test("an early wake has no effect")
    func earlyWake() {
        var run = SessionRun()
        run.client.waits = [30_000]
        #expect(run.send("1") == [.wake(after: 30_000)])
        #expect(run.wake(after: 29_999).isEmpty)
        #expect(run.wake(after: 1).texts == ["1"])
    }

    @Test("256 sends may wait; another one closes with 1013")
    func waitingLimit() {
        var run = SessionRun()
        run.client.waits = [30_000]
        for number in 0..<256 { #expect(run.send("\(number)").closes.isEmpty) }
        #expect(run.session.isReading)
        let actions = run.send("one more")
        #expect(actions == [.close(.sendsWaitTooLong)])
        #expect(CloseReason.sendsWaitTooLong.code == 1013)
        #expect(run.wake(after: 30_000).isEmpty)
    }

    @Test("256 waiting sends are appended in order")
    func waitingOrder() {
        var run = SessionRun()
        run.client.waits = [30_000]
        for number in 0..<256 { _ = run.send("\(number)") }
        #expect(run.wake(after: 30_000).texts == (0..<256).map { "\($0)" })
    }

    // MARK: In flight

    @Test("reading pauses with 256 sends in flight, and resumes at half of that")
    func inFlight() {
        var run = SessionRun()
        for number in 0..<255 { #expect(run.send("\(number)").count == 1) }
        let actions = run.send("255")
        #expect(actions.texts == ["255"])
        #expect(actions.last == .pauseReading)
        #expect(!run.session.isReading)
        #expect(run.send("256").isEmpty)
        #expect(run.accept().texts == ["256"])
        for _ in 0..<127 { #expect(run.accept().isEmpty) }
        #expect(!run.session.isReading)
        #expect(run.accept() == [.resumeReading])
        #expect(run.session.isReading)
    }

    @Test("a failed send is retried under the same id")
    func keepsItsID() {
        var run = SessionRun()
        let sent = run.send("1")
        guard case .append(var message)? = sent.first else { return #expect(Bool(false), "\(sent)") }
        #expect(message.id == nil)
        message.id = MessageID(trusted: "m1")
        #expect(run.fail(message).count == 1)
        #expect(run.wake(after: 1_000_000) == [.append(message)])
    }

    // MARK: Outages

    @Test("a failed append is retried after half a second, and charged once")
    func retries() throws {
        var run = SessionRun()
        let message = try #require(run.send("1").appends.first)
        #expect(run.fail(message) == [.wake(after: ClassicSession.outageRetry)])
        #expect(run.send("2").isEmpty)
        let again = run.wake(after: ClassicSession.outageRetry)
        #expect(again.appends == [message])
        #expect(run.accept().texts == ["2"])
        #expect(run.client.taken == 2)
    }

    @Test("a delayed send uses the sender's role at that time")
    func demoted() throws {
        var run = SessionRun()
        let message = try #require(run.send("1").appends.first)
        _ = run.fail(message)
        let reader = Membership(thread: TestClient.roomMembership.thread, role: .readOnly)
        run.client.memberships[TestClient.room] = reader
        #expect(run.wake(after: ClassicSession.outageRetry).appends.map(\.membership) == [reader])
    }

    @Test("a delayed send is dropped if its sender has left, and sent if they are back")
    func removed() throws {
        var run = SessionRun()
        let messages = (0..<3).flatMap { run.send("\($0)").appends }
        run.client.memberships = [:]
        for message in messages { _ = run.fail(message) }
        #expect(run.wake(after: ClassicSession.outageRetry) == [.findThread(TestClient.room), .pauseReading])
        #expect(run.resolveThread(nil) == [.drop(.notAMember), .findThread(TestClient.room)])
        #expect(run.resolveThread(TestClient.roomMembership).texts == ["1"])
        #expect(run.accept().texts == ["2"])
        #expect(run.client.taken == 3)
    }

    @Test("the first message of a direct thread waits for the log")
    func waitsDirect() throws {
        var run = SessionRun()
        _ = run.receive(.sendDirect(toUser: "bob", text: "1"))
        let message = try #require(run.resolveUser(TestClient.bob).appends.first)
        _ = run.fail(message)
        #expect(run.wake(after: ClassicSession.outageRetry).appends == [message])
    }

    @Test("while the log is unavailable one message at a time is tried")
    func probes() {
        var run = SessionRun()
        let messages = (0..<5).flatMap { run.send("\($0)").appends }
        for message in messages.dropLast() { #expect(run.fail(message).isEmpty) }
        #expect(run.fail(messages[4]) == [.wake(after: ClassicSession.outageRetry)])
        for _ in 0..<10 {
            let probe = run.wake(after: ClassicSession.outageRetry)
            #expect(probe.texts == ["0"])
            #expect(run.fail(messages[0]) == [.wake(after: ClassicSession.outageRetry)])
        }
        #expect(run.wake(after: ClassicSession.outageRetry).texts == ["0"])
        #expect(run.accept().texts == ["1", "2", "3", "4"])
    }

    @Test("messages keep their order, whatever the order of failures", arguments: 0..<24)
    func failsOutOfOrder(permutation: Int) {
        var run = SessionRun()
        let messages = (0..<4).flatMap { run.send("\($0)").appends }
        _ = run.send("4")
        var rest = Array(messages)
        var number = permutation
        _ = run.accept()
        rest.removeFirst()
        rest.append(OutgoingMessage(number: 4, membership: TestClient.roomMembership, text: "4"))
        var wakes: [Int64] = []
        for count in stride(from: 4, to: 0, by: -1) {
            wakes += run.fail(rest.remove(at: number % count)).wakes
            number /= count
            _ = run.send("late \(count)")
        }
        #expect(wakes == [ClassicSession.outageRetry])
        #expect(run.wake(after: ClassicSession.outageRetry).texts == ["1"])
        #expect(run.accept().texts == ["2", "3", "4", "late 4", "late 3", "late 2", "late 1"])
    }

    @Test("nothing overtakes a message that fails late")
    func lateFailure() throws {
        var run = SessionRun()
        let messages = (0..<2).flatMap { run.send("\($0)").appends }
        #expect(run.fail(messages[0]).isEmpty)
        #expect(run.send("2").isEmpty)
        // However long the second one takes.
        #expect(run.wake(after: 5 * Self.second).isEmpty)
        #expect(run.fail(messages[1]) == [.wake(after: ClassicSession.outageRetry)])
        #expect(run.wake(after: ClassicSession.outageRetry).texts == ["0"])
        #expect(run.accept().texts == ["1", "2"])
    }

    @Test("a permanent rejection shows that the log is available")
    func refusalEndsOutage() {
        var run = SessionRun()
        let messages = (0..<2).flatMap { run.send("\($0)").appends }
        _ = run.fail(messages[0])
        _ = run.fail(messages[1])
        #expect(run.wake(after: ClassicSession.outageRetry).texts == ["0"])
        let actions = run.refuse(.refusedByLog)
        #expect(actions.drops == [.refusedByLog])
        #expect(actions.texts == ["1"])
    }

    @Test("after 30 s without the log the session closes with 1013, not before")
    func outageLimit() throws {
        var run = SessionRun()
        let message = try #require(run.send("1").appends.first)
        _ = run.fail(message)
        for _ in 0..<59 {
            #expect(run.wake(after: ClassicSession.outageRetry).texts == ["1"])
            #expect(run.fail(message).wakes == [ClassicSession.outageRetry])
        }
        #expect(run.now < 30 * Self.second)
        #expect(run.wake(after: ClassicSession.outageRetry).texts == ["1"])
        #expect(run.fail(message) == [.close(.unavailable)])
        #expect(CloseReason.unavailable.code == 1013)
    }

    @Test("each outage has its own 30 s")
    func outagesApart() throws {
        var run = SessionRun()
        for _ in 0..<5 {
            let message = try #require(run.send("1").appends.first)
            #expect(run.fail(message).closes.isEmpty)
            run.now += 20 * Self.second
            #expect(run.wake().texts == ["1"])
            #expect(run.accept().isEmpty)
        }
    }

    @Test("during an outage 256 sends may wait; another one closes with 1013")
    func outageWaiting() throws {
        var run = SessionRun()
        let message = try #require(run.send("0").appends.first)
        _ = run.fail(message)
        for number in 1..<256 { #expect(run.send("\(number)").isEmpty) }
        #expect(run.send("256") == [.close(.sendsWaitTooLong)])
    }

    @Test("256 sends in flight and 256 waiting ones survive an outage")
    func mostThatWaits() {
        var run = SessionRun()
        let messages = (0..<256).flatMap { run.send("\($0)").appends }
        for number in 256..<512 { #expect(run.send("\(number)").isEmpty) }
        for message in messages { #expect(run.fail(message).closes.isEmpty) }
        #expect(run.wake(after: ClassicSession.outageRetry).texts == ["0"])
        #expect(run.accept().texts == (1..<257).map { "\($0)" })
    }

    // MARK: Failed lookups

    @Test("a failed lookup is retried, and reading pauses until it succeeds")
    func lookUpRetried() {
        var run = SessionRun()
        _ = run.receive(.sendDirect(toUser: "bob", text: "1"))
        #expect(run.failLookUp() == [.wake(after: ClassicSession.outageRetry)])
        #expect(!run.session.isReading)
        #expect(run.wake(after: ClassicSession.outageRetry) == [.findUser(name: "bob")])
        let actions = run.resolveUser(TestClient.bob)
        #expect(actions.texts == ["1"])
        #expect(actions.last == .resumeReading)
        #expect(run.client.taken == 1)
    }

    @Test("after 30 s without lookups the session closes with 1013")
    func lookUpOutage() {
        var run = SessionRun()
        _ = run.receive(.sendDirect(toUser: "bob", text: "1"))
        for _ in 0..<60 {
            #expect(run.failLookUp() == [.wake(after: ClassicSession.outageRetry)])
            #expect(run.wake(after: ClassicSession.outageRetry) == [.findUser(name: "bob")])
        }
        #expect(run.failLookUp() == [.close(.unavailable)])
    }

    @Test("a lookup that fails an hour after another begins a new outage")
    func lookUpOutagesApart() {
        var run = SessionRun()
        for _ in 0..<3 {
            _ = run.receive(.sendDirect(toUser: "nobody", text: "1"))
            #expect(run.failLookUp().closes.isEmpty)
            #expect(run.wake(after: ClassicSession.outageRetry) == [.findUser(name: "nobody")])
            _ = run.resolveUser(nil)
            run.now += 3600 * Self.second
        }
    }

    @Test("a lookup result belongs to its request, even if the log failed meanwhile")
    func answersStayWithTheirQuestion() throws {
        var run = SessionRun()
        let carol = User(id: UserID(trusted: "carol-id"), name: "carol")
        let first = try #require(run.send("0").appends.first)
        #expect(run.receive(.sendDirect(toUser: "bob", text: "for bob")).contains(.findUser(name: "bob")))
        #expect(run.receive(.sendDirect(toUser: "carol", text: "for carol")).isEmpty)
        // Returns to a place before the one that is being looked up.
        #expect(run.fail(first) == [.wake(after: ClassicSession.outageRetry)])
        #expect(run.wake(after: ClassicSession.outageRetry) == [.append(first)])
        // The lookup is still pending, so it is not repeated.
        #expect(run.accept().isEmpty)
        let bobs = run.resolveUser(TestClient.bob)
        #expect(bobs.appends.map(\.membership.peer) == [TestClient.bob])
        #expect(bobs.last == .findUser(name: "carol"))
        let carols = run.resolveUser(carol)
        #expect(carols.appends.map(\.text) == ["for carol"])
        #expect(carols.appends.map(\.membership.peer) == [carol])
    }

    @Test("a lookup result during an outage is kept until its end")
    func answerDuringOutage() throws {
        var run = SessionRun()
        let first = try #require(run.send("0").appends.first)
        _ = run.receive(.sendDirect(toUser: "bob", text: "1"))
        _ = run.fail(first)
        #expect(run.resolveUser(TestClient.bob) == [.resumeReading])
        #expect(run.wake(after: ClassicSession.outageRetry).texts == ["0"])
        #expect(run.accept().texts == ["1"])
    }
}
