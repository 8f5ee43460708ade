import ParleyModel
import ParleySession
import ParleyWire
import Testing

@Suite struct V1CommandTests {
    private static let message = MessageID(trusted: "m1")

    // MARK: Sends

    @Test("a send is appended unchanged, and its ack has the position")
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

    @Test("a send with attachments is appended when they are found, and later commands wait for it")
    func attachments() throws {
        var run = V1Run()
        let attachment = AttachmentID(trusted: "f")
        let parts = [MessagePart.media(MediaPart(type: "", url: "", attachment: attachment))]
        let send = V1Send(thread: V1Run.room, text: "", parts: parts)
        for isFound in [true, false] {
            let actions = run.receive(.send(send), ref: 1)
            guard case .attach(let waiting)? = actions.first, actions.count == 1 else {
                Issue.record("\(actions)")
                return
            }
            #expect(run.send("later", ref: 2).isEmpty)
            let filled = [MessagePart.media(MediaPart(type: "a/b", url: "u", attachment: attachment))]
            let result: Result<(id: MessageID, parts: [MessagePart]), V1Failure> =
                isFound ? .success((Self.message, filled)) : .failure(V1Failure(.notFound, "x"))
            let next = run.attached(waiting.number, result)
            #expect(next.appends.map(\.send.text) == (isFound ? ["", "later"] : ["later"]))
            if isFound {
                #expect(next.appends.first?.send.parts == filled)
                #expect(next.appends.first?.messageID == Self.message)
            } else {
                #expect(next.failures.map(\.code) == [.notFound])
            }
            // A second result is ignored.
            #expect(run.attached(waiting.number, result).isEmpty)
            for append in next.appends { _ = run.accept(append.number, seq: 1) }
        }
    }

    @Test("sends are appended and answered in order, whatever the log's order")
    func order() {
        var run = V1Run()
        let numbers = (0..<5).flatMap { run.send("\($0)", ref: Int64($0)) }.appends.map(\.number)
        #expect(numbers.count == 5)
        #expect(run.accept(numbers[2], seq: 3).isEmpty)
        #expect(run.accept(numbers[1], seq: 2).isEmpty)
        #expect(run.accept(numbers[0], seq: 1).acks.map(\.ref) == [0, 1, 2])
        #expect(run.accept(numbers[4], seq: 5).isEmpty)
        #expect(run.refuse(numbers[3], V1Failure(.conflict, "x")).frames.count == 2)
        // A duplicate result is ignored.
        #expect(run.accept(numbers[3], seq: 4).isEmpty)
    }

    @Test("a send without a ref gets no ack, but still gets errors")
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

    @Test("a send above the rate is rejected with a delay and causes no append")
    func rate() {
        var run = V1Run()
        run.client.rate.waits = [0, 30_001]
        #expect(run.send("1", ref: 1).appends.count == 1)
        let actions = run.send("2", ref: 2)
        #expect(actions.appends.isEmpty)
        // In order, after the command in progress.
        #expect(actions.frames.isEmpty)
        let replies = run.accept(0, seq: 1)
        #expect(replies.acks.map(\.ref) == [1])
        #expect(replies.failures.first?.code == .rateLimited)
        #expect(replies.failures.first?.retryAfterMilliseconds == 31)
        #expect(run.send("3", ref: 3).appends.count == 1)
        #expect(run.client.rate.taken == 2)
    }

    @Test(
        "each command has its budget, except those charged where they are carried out",
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

    @Test("a resume above its budget is rejected, and the socket goes live")
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

    @Test("a change is performed by the owner, and its result is the reply", arguments: Change.allCases)
    func changes(change: Change) {
        var run = V1Run()
        #expect(
            run.receive(change.command, ref: 1)
                == [.change(number: 0, change.change, TestClient.roomMembership)])
        // Later commands wait, so that the log has the order of the commands.
        #expect(run.send("2", ref: 2).isEmpty)
        let actions = run.finish(0, .success(.entered(V1Run.receipt(8))))
        #expect(actions.acks == [V1Ack(ref: 1, receipt: V1Run.receipt(8))])
        #expect(actions.appends.count == 1)
        _ = run.accept(1, seq: 9)
        _ = run.receive(change.command, ref: 3)
        #expect(run.finish(2, .failure(V1Failure(.forbidden, "x"))).errors == [.init(.forbidden, 3)])
    }

    // MARK: Threads without a known membership

    @Test(
        "an unknown thread is looked up once, and the result decides the reply",
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
            ([thread: ThreadAccess.nonMember], V1ErrorCode.notAMember), ([thread: .unknown], .notFound),
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

    @Test("a read mark moves the cursor without blocking other commands")
    func reads() {
        var run = V1Run()
        #expect(run.receive(.read(thread: V1Run.room, seq: 5), ref: 1) == [.markRead(number: 0, V1Run.room, seq: 5)])
        #expect(run.receive(.read(thread: V1Run.room, seq: nil)) == [.markRead(number: 1, V1Run.room, seq: nil)])
        #expect(run.send("x").appends.count == 1)
        #expect(run.finish(0, .success(.done)).acks == [V1Ack(ref: 1)])
        #expect(run.finish(1, .failure(V1Failure(.unavailable, "x"))).errors == [.init(.unavailable, nil)])
    }

    @Test("a read mark waits only for the sends before it")
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

    @Test("join, leave and auth wait for earlier commands and block later ones")
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

    @Test("credentials of another user are unauthorized and have no effect")
    func foreignCredentials() {
        var run = V1Run()
        _ = run.receive(.authenticate(token: "t"), ref: 1)
        #expect(run.finish(0, .failure(V1Failure(.unauthorized, "x"))).errors == [.init(.unauthorized, 1)])
        #expect(run.send("x").appends.count == 1)
    }

    @Test("presence is delivered from the watch on; one list is looked up at a time")
    func watches() {
        var run = V1Run()
        let bob = TestClient.bob.id
        #expect(run.receive(.watch([bob]), ref: 1) == [.watch(number: 0, [bob])])
        #expect(run.receive(.watch([]), ref: 2).isEmpty)
        let presence = V1Presence(user: bob, isOnline: true)
        #expect(run.presence(presence) == [.send(.presence(presence))])
        #expect(run.finish(0, .success(.done)) == [.send(.ack(V1Ack(ref: 1))), .watch(number: 1, [])])
    }

    @Test("an invalid frame is answered in order, and a hundred within 10 s close the connection")
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

    @Test("reading pauses when 64 commands wait, and resumes at half of that")
    func pauses() {
        var run = V1Run()
        _ = run.receive(.join(title: "x"))
        for _ in 0..<63 { #expect(run.receive(.ping(1)).isEmpty) }
        #expect(run.session.isReading)
        #expect(run.receive(.ping(1)) == [.pauseReading])
        #expect(!run.session.isReading)
        // Commands already read are still accepted.
        #expect(run.receive(.ping(1)).isEmpty)
        let actions = run.finish(0, .success(.done))
        #expect(actions.frames.count == 65)
        #expect(actions.last == .resumeReading)
        #expect(run.session.isReading)
    }

    @Test("at most 128 commands are in progress")
    func inFlight() {
        var run = V1Run()
        for index in 0..<128 { #expect(run.send("\(index)").appends.count == 1) }
        #expect(run.send("128").appends.isEmpty)
        #expect(run.accept(1, seq: 2).appends.isEmpty)
        #expect(run.accept(0, seq: 1).appends.count == 1)
        #expect(run.send("129").appends.count == 1)
    }

    @Test("no actions follow the close")
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
