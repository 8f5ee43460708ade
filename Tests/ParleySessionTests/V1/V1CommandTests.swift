import ParleyModel
import ParleySession
import ParleyWire
import Testing

@Suite struct V1CommandTests {
    private static let message = MessageID(trusted: "m1")

    // MARK: Sends

    @Test("a send goes to the log as it is, and its ack says where it stands")
    func sends() throws {
        var run = V1Run()
        let parts = [MessagePart.text("x")]
        let actions = run.receive(
            .send(V1Send(thread: V1Run.room, text: "hi", clientID: "c", parts: parts, replyTo: 3)), ref: 1)
        let append = try #require(actions.appends.first)
        #expect(actions == [.append(append)])
        #expect(append.membership == TestClient.roomMembership)
        #expect(append.send == V1Send(thread: V1Run.room, text: "hi", clientID: "c", parts: parts, replyTo: 3))
        #expect(!append.wantsStored)
        #expect(
            run.accept(append.number, seq: 9)
                == [.send(.ack(V1Ack(ref: 1, receipt: V1Run.receipt(9), level: .accepted, clientID: "c")))])
    }

    @Test("sends go to the log one behind the other, and are answered in their order whatever the log's")
    func order() {
        var run = V1Run()
        let numbers = (0..<5).flatMap { run.send("\($0)", ref: Int64($0)) }.appends.map(\.number)
        #expect(numbers.count == 5)
        #expect(run.accept(numbers[2], seq: 3).isEmpty)
        #expect(run.accept(numbers[1], seq: 2).isEmpty)
        #expect(run.accept(numbers[0], seq: 1).acks.map(\.ref) == [0, 1, 2])
        #expect(run.accept(numbers[4], seq: 5).isEmpty)
        #expect(run.refuse(numbers[3], V1Failure(.conflict, "x")).frames.count == 2)
        // An answer that comes twice changes nothing.
        #expect(run.accept(numbers[3], seq: 4).isEmpty)
    }

    @Test("without a ref a send has no ack, but an error all the same")
    func withoutRef() throws {
        var run = V1Run()
        let one = try #require(run.send("1").appends.first)
        #expect(run.accept(one.number, seq: 1).isEmpty)
        let two = try #require(run.send("2").appends.first)
        let actions = run.refuse(two.number, V1Failure(.conflict, "x"))
        #expect(actions == [.refuse(.conflict), .send(.error(V1Failure(.conflict, "x"), ref: nil))])
    }

    @Test("a repeat is acknowledged as one")
    func repeats() throws {
        var run = V1Run()
        let append = try #require(run.send("1", ref: 1).appends.first)
        #expect(run.accept(append.number, seq: 4, isRepeat: true).acks.first?.receipt?.isRepeat == true)
    }

    @Test("a send over the rate is refused with the time to wait, and costs nothing more")
    func rate() {
        var run = V1Run()
        run.client.rate.waits = [0, 30_001]
        #expect(run.send("1", ref: 1).appends.count == 1)
        let actions = run.send("2", ref: 2)
        #expect(actions.appends.isEmpty)
        // In its order, behind the one that is under way.
        #expect(actions.frames.isEmpty)
        let replies = run.accept(0, seq: 1)
        #expect(replies.acks.map(\.ref) == [1])
        #expect(replies.failures.first?.code == .rateLimited)
        #expect(replies.failures.first?.retryAfterMilliseconds == 31)
        #expect(run.send("3", ref: 3).appends.count == 1)
        #expect(run.client.rate.taken == 2)
    }

    @Test(
        "each command has its budget, but for those that are charged where they are carried out",
        arguments: [
            (V1Command.edit(thread: V1Run.room, message: message, text: "x"), BudgetKind.sends),
            (.delete(thread: V1Run.room, message: message), .sends),
            (.react(thread: V1Run.room, message: message, emoji: "x", isOn: true), .sends),
            (.read(thread: V1Run.room, seq: 1), nil), (.typing(thread: V1Run.room, isOn: true), nil),
            (.history(V1HistoryRequest(thread: V1Run.room)), .history), (.ping(1), .pings), (.watch([]), .watches),
            (.join(title: "x"), nil), (.leave(thread: V1Run.room), nil), (.authenticate(token: "x"), .auths),
            (.resume([:]), .resumes),
        ] as [(V1Command, BudgetKind?)])
    func charges(command: V1Command, kind: BudgetKind?) {
        var run = V1Run()
        _ = run.receive(command)
        #expect(run.client.rate.kinds == (kind.map { [$0] } ?? []))
    }

    @Test("a resume over its budget is refused, and the socket goes live")
    func resumeOverBudget() {
        var run = V1Run(isLive: false)
        _ = run.open()
        run.client.rate.waits = [2_000_000]
        let failures = run.receive(.resume([:]), ref: 1).failures
        #expect(failures.map(\.code) == [.rateLimited])
        #expect(failures.first?.retryAfterMilliseconds == 2000)
        #expect(run.deliver(1...1).isWritten)
    }

    // MARK: Changes

    enum Change: CaseIterable {
        case edit, delete, react

        var command: V1Command {
            switch self {
            case .edit: .edit(thread: V1Run.room, message: message, text: "x")
            case .delete: .delete(thread: V1Run.room, message: message)
            case .react: .react(thread: V1Run.room, message: message, emoji: "x", isOn: true)
            }
        }

        var change: MessageChange {
            switch self {
            case .edit: .edit(message, text: "x")
            case .delete: .delete(message)
            case .react: .react(message, emoji: "x", isOn: true)
            }
        }
    }

    @Test("a change is carried out elsewhere, and its answer is the command's", arguments: Change.allCases)
    func changes(change: Change) {
        var run = V1Run()
        #expect(
            run.receive(change.command, ref: 1)
                == [.change(number: 0, change.change, TestClient.roomMembership)])
        // What comes behind it waits, so that the log has the order of the commands.
        #expect(run.send("2", ref: 2).isEmpty)
        let actions = run.finish(0, .success(.entered(V1Run.receipt(8))))
        #expect(actions.acks == [V1Ack(ref: 1, receipt: V1Run.receipt(8))])
        #expect(actions.appends.count == 1)
        _ = run.accept(1, seq: 9)
        _ = run.receive(change.command, ref: 3)
        #expect(run.finish(2, .failure(V1Failure(.forbidden, "x"))).errors == [.init(.forbidden, 3)])
    }

    // MARK: Threads that are not the user's here

    @Test(
        "a thread that is not known here is looked up once, and the answer is the command's",
        arguments: [
            V1Command.send(V1Send(thread: ThreadID(trusted: "new"), text: "x")),
            .read(thread: ThreadID(trusted: "new"), seq: nil), .typing(thread: ThreadID(trusted: "new"), isOn: true),
            .history(V1HistoryRequest(thread: ThreadID(trusted: "new"))),
            .edit(thread: ThreadID(trusted: "new"), message: message, text: "x"),
        ])
    func looksUpThreads(command: V1Command) {
        let thread = ThreadID(trusted: "new")
        let membership = Membership(thread: ThreadInfo(id: thread, kind: .room, title: "New"), role: .member)
        for (reply, code) in [
            ([thread: ThreadAccess.stranger], V1ErrorCode.notAMember), ([thread: .unknown], .notFound),
            ([:], .notFound),
            (nil, .unavailable), ([thread: .member(membership)], nil),
        ] as [([ThreadID: ThreadAccess]?, V1ErrorCode?)] {
            var run = V1Run()
            #expect(run.receive(command, ref: 1) == [.findThreads([thread])])
            #expect(run.receive(.ping(2), ref: 2).isEmpty)
            let actions = run.findThreads(reply)
            #expect(actions.errors == (code.map { [.init($0, 1)] } ?? []))
            if code != nil { #expect(actions.frames.last == .pong(2, serverTime: run.client.milliseconds, ref: 2)) }
            #expect(run.client.rate.kinds.count { $0 != .pings } == (command.hasBudget ? 1 : 0))
        }
    }

    // MARK: Others

    @Test("a read mark moves the cursor, and others go on meanwhile")
    func reads() {
        var run = V1Run()
        #expect(run.receive(.read(thread: V1Run.room, seq: 5), ref: 1) == [.markRead(number: 0, V1Run.room, seq: 5)])
        #expect(run.receive(.read(thread: V1Run.room, seq: nil)) == [.markRead(number: 1, V1Run.room, seq: nil)])
        #expect(run.send("x").appends.count == 1)
        #expect(run.finish(0, .success(.done)).acks == [V1Ack(ref: 1)])
        #expect(run.finish(1, .failure(V1Failure(.unavailable, "x"))).errors == [.init(.unavailable, nil)])
    }

    @Test("a read mark waits for the sends before it and for nothing else")
    func readsBehindSends() {
        var run = V1Run()
        #expect(run.send("1", ref: 1).appends.count == 1)
        #expect(run.receive(.read(thread: V1Run.room, seq: nil), ref: 2).isEmpty)
        #expect(run.send("3", ref: 3).isEmpty)
        let actions = run.accept(0, seq: 1)
        #expect(actions.contains(.markRead(number: 1, V1Run.room, seq: nil)))
        #expect(actions.appends.count == 1)
        #expect(run.receive(.read(thread: V1Run.room, seq: 1), ref: 4).isEmpty)
        #expect(run.refuse(2, V1Failure(.conflict, "x")).contains(.markRead(number: 3, V1Run.room, seq: 1)))
    }

    @Test("joining, leaving and new credentials wait for what is before them, and hold up what is behind")
    func barriers() {
        let commands: [V1Command] = [
            .join(title: "Garden"), .leave(thread: V1Run.room), .authenticate(token: "t"),
        ]
        for command in commands {
            var run = V1Run()
            #expect(run.send("1", ref: 1).appends.count == 1)
            #expect(run.receive(command, ref: 2).isEmpty)
            #expect(run.receive(.ping(3), ref: 3).isEmpty)
            let begun = run.accept(0, seq: 1)
            #expect(begun.acks.map(\.ref) == [1])
            #expect(begun.count == 2)
            switch begun.last {
            case .join(1, "Garden"), .leave(1, V1Run.room), .authenticate(1, "t"): break
            default: Issue.record("\(begun)")
            }
            let done = run.finish(1, .success(.entered(V1Run.receipt(4))))
            #expect(done.acks == [V1Ack(ref: 2, receipt: V1Run.receipt(4))])
            #expect(done.frames.count == 2)
        }
    }

    @Test("credentials of somebody else are unauthorized and change nothing")
    func foreignCredentials() {
        var run = V1Run()
        _ = run.receive(.authenticate(token: "t"), ref: 1)
        #expect(run.finish(0, .failure(V1Failure(.unauthorized, "x"))).errors == [.init(.unauthorized, 1)])
        #expect(run.send("x").appends.count == 1)
    }

    @Test("states of users come from the moment they are watched; one list is looked up at a time")
    func watches() {
        var run = V1Run()
        let bob = TestClient.bob.id
        #expect(run.receive(.watch([bob]), ref: 1) == [.watch(number: 0, [bob])])
        #expect(run.receive(.watch([]), ref: 2).isEmpty)
        let presence = V1Presence(user: bob, isOnline: true)
        #expect(run.presence(presence) == [.send(.presence(presence))])
        #expect(run.finish(0, .success(.done)) == [.send(.ack(V1Ack(ref: 1))), .watch(number: 1, [])])
    }

    @Test("a frame that is no command is answered in its order, and a hundred of them in 10 s end the connection")
    func badFrames() {
        var run = V1Run()
        let violation = V1CommandError(ref: 2, code: .badRequest, message: "x")
        _ = run.send("1", ref: 1)
        #expect(run.receive(violation).frames.isEmpty)
        #expect(run.accept(0, seq: 1).frames.count == 2)
        for _ in 1..<99 { #expect(run.receive(violation).errors == [.init(.badRequest, 2)]) }
        #expect(run.receive(violation) == [.close(.abuse)])
        #expect(run.receive(.ping(1)).isEmpty)
        var slow = V1Run()
        for _ in 0..<300 {
            #expect(slow.receive(violation).closes.isEmpty)
            slow.now += 102_000
        }
    }

    @Test("reading stops when 64 commands wait, and goes on at half of that")
    func pauses() {
        var run = V1Run()
        _ = run.receive(.join(title: "x"))
        for _ in 0..<63 { #expect(run.receive(.ping(1)).isEmpty) }
        #expect(run.session.isReading)
        #expect(run.receive(.ping(1)) == [.pauseReading])
        #expect(!run.session.isReading)
        // What was read already is still taken.
        #expect(run.receive(.ping(1)).isEmpty)
        let actions = run.finish(0, .success(.done))
        #expect(actions.frames.count == 65)
        #expect(actions.last == .resumeReading)
        #expect(run.session.isReading)
    }

    @Test("128 commands are under way at once, not more")
    func inFlight() {
        var run = V1Run()
        for index in 0..<128 { #expect(run.send("\(index)").appends.count == 1) }
        #expect(run.send("128").appends.isEmpty)
        #expect(run.accept(1, seq: 2).appends.isEmpty)
        #expect(run.accept(0, seq: 1).appends.count == 1)
        #expect(run.send("129").appends.count == 1)
    }

    @Test("after the end nothing comes out")
    func closed() {
        var run = V1Run()
        _ = run.send("1", ref: 1)
        run.session.closed()
        #expect(run.accept(0, seq: 1).isEmpty)
        #expect(run.receive(.ping(1)).isEmpty)
        #expect(run.deliver(1...1).isWritten == false)
        #expect(run.wake(after: 60_000_000).isEmpty)
        #expect(run.drained().isEmpty)
        #expect(run.drain(after: 1).isEmpty)
        #expect(!run.session.isReading)
    }
}

extension V1Command {
    fileprivate var hasBudget: Bool {
        switch self {
        case .send, .edit, .history: true
        default: false
        }
    }
}
