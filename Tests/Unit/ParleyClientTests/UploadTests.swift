import ParleyClient
import ParleyJSON
import Testing

/// Files of messages, as the core decides about them: declared, appended to, continued, given up.
@Suite struct UploadTests {
    typealias H = MachineHarness

    private static let size = 600_000
    private static let file = OutboxFile(name: "a.bin", mediaType: "application/octet-stream", size: size)

    /// The requests that the last event has led to.
    private func steps(_ client: H) -> [UploadStep] {
        client.actions.compactMap { if case .upload(let step) = $0 { step } else { nil } }
    }

    private func send(_ client: inout H, _ id: String = "c1", thread: String = "t") {
        client.handle(.send(ChatDraft(id), thread: thread, id: id, files: [Self.file]))
    }

    /// Answers requests as a server does that works, until there are none.
    private func upload(_ client: inout H, _ first: UploadStep?, as attachment: String = "f1") {
        var next = first
        while let step = next {
            client.handle(.answered(step, answer(step, attachment)))
            next = steps(client).first
        }
    }

    private func answer(_ step: UploadStep, _ attachment: String) -> UploadAnswer {
        switch step.action {
        case .declare: .declared(attachment: attachment)
        case .ask: .has(0, isComplete: false)
        case .append(_, let offset, let count):
            .has(offset + count, isComplete: offset + count == step.file.size)
        }
    }

    @Test("a file is declared and uploaded in pieces before its message, and what is sent later waits for it")
    func order() throws {
        var client = H()
        client.connect(seq: 5, other: 0)
        client.receive(H.message(5, by: "a"))
        send(&client)
        #expect(steps(client).map(\.action) == [.declare])
        let declare = try #require(steps(client).first)
        client.handle(.send(ChatDraft("later"), thread: "t", id: "c2"))
        client.handle(.send(ChatDraft("elsewhere"), thread: "u", id: "c3"))
        let target = ClientOutboxEntry.Target(seq: 5, messageID: "m5", localID: "m5")
        client.handle(.change(.edit(target, text: "x"), thread: "t", id: "e1"))
        #expect(client.sent == ["elsewhere"] && client.commands.last?["edit"] != nil)
        client.receive(client.ack("edit", seq: 6))
        client.handle(.answered(declare, .declared(attachment: "f1")))
        #expect(client.storage.load().outbox.first?.files.first?.attachment == "f1")
        let piece = try #require(steps(client).first)
        #expect(piece.action == .append(attachment: "f1", offset: 0, count: 262_144))
        client.handle(.answered(piece, .has(262_144, isComplete: false)))
        #expect(client.core.outbox["c1"]?.files.first?.offset == 262_144)
        upload(&client, steps(client).first)
        #expect(client.sent == ["elsewhere", "c1"])
        #expect(client.commands.last?["message"]?["parts"]?.elements?.first?["attachment"]?.text == "f1")
        client.receive(client.ack(seq: 7))
        #expect(client.sent == ["elsewhere", "c1", "later"])
    }

    @Test("files of one thread go one after the other, those of others at the same time, in bounds")
    func concurrency() {
        var client = H(limits: .init(uploads: 2))
        client.connect(seq: 0, other: 0)
        send(&client, "c1")
        send(&client, "c2")
        #expect(steps(client).isEmpty)
        send(&client, "c3", thread: "u")
        #expect(steps(client).map(\.entry) == ["c3"])
    }

    @Test("after a cut the server is asked how much it has, and the upload goes on there")
    func cut() throws {
        var client = H()
        client.connect()
        send(&client)
        client.handle(.answered(try #require(steps(client).first), .declared(attachment: "f1")))
        client.handle(.answered(try #require(steps(client).first), .noAnswer))
        #expect(steps(client).isEmpty)
        client.uptime += .seconds(60)
        client.handle(.tick)
        let ask = try #require(steps(client).first)
        #expect(ask.action == .ask(attachment: "f1"))
        client.handle(.answered(ask, .has(100_000, isComplete: false)))
        guard case .append("f1", 100_000, _) = steps(client).first?.action else {
            Issue.record("\(steps(client))")
            return
        }
    }

    @Test("the next process continues the same upload, and completes one that has all its bytes")
    func death() throws {
        var client = H()
        client.connect()
        send(&client)
        client.handle(.answered(try #require(steps(client).first), .declared(attachment: "f1")))
        var next = H(storage: client.storage)
        next.core.restore(client.storage.load())
        next.connect()
        let ask = try #require(steps(next).first)
        #expect(ask.action == .ask(attachment: "f1") && ask.file.size == Self.size)
        next.handle(.answered(ask, .has(Self.size, isComplete: false)))
        let last = try #require(steps(next).first)
        #expect(last.action == .append(attachment: "f1", offset: Self.size, count: 0))
        next.handle(.answered(last, .has(Self.size, isComplete: true)))
        #expect(next.sent == ["c1"])
    }

    @Test(
        "a refusal fails the message with the server's reason, and lets the next one go",
        arguments: [
            ServerErrorCode.tooLarge, .badRequest, .notFound, .forbidden,
        ])
    func refused(code: ServerErrorCode) throws {
        var client = H()
        client.connect()
        send(&client)
        let declare = try #require(steps(client).first)
        client.handle(.send(ChatDraft("later"), thread: "t", id: "c2"))
        client.handle(.answered(declare, .refused(code: code, message: "no", retryAfter: nil)))
        #expect(client.core.outbox["c1"]?.failure == .init(code: code, message: "no", isRetryable: false))
        #expect(client.sent == ["later"] && client.storage.load().outbox.first?.failure != nil)
        client.handle(.retry("c1"))
        #expect(steps(client).first?.action == .declare)
    }

    @Test("a server that is busy or unavailable is asked again after its time, and not for ever")
    func unavailable() throws {
        var client = H(limits: .init(attemptsWhileUnavailable: 3))
        client.connect()
        send(&client)
        client.handle(
            .answered(
                try #require(steps(client).first),
                .refused(code: .rateLimited, message: "", retryAfter: .seconds(7))))
        let deadline = try #require(client.core.deadline)
        #expect(deadline >= .seconds(7) && deadline <= .milliseconds(7_500) && steps(client).isEmpty)
        client.uptime = deadline
        client.handle(.tick)
        for _ in 0..<3 {
            let step = try #require(steps(client).first)
            client.handle(.answered(step, .refused(code: .unavailable, message: "later", retryAfter: nil)))
            client.uptime += .seconds(3)
            client.handle(.tick)
        }
        #expect(client.core.outbox["c1"]?.failure?.isRetryable == true && steps(client).isEmpty)
    }

    @Test("a server that limits the rate, and asks for no pause, is asked less and less often, and without end")
    func rateLimitedWithoutPause() throws {
        var client = H(limits: .init(attemptsWhileUnavailable: 3))
        client.connect()
        send(&client)
        let start = client.uptime
        for _ in 0..<30 {
            let step = try #require(steps(client).first)
            client.handle(.answered(step, .refused(code: .rateLimited, message: "", retryAfter: .zero)))
            #expect(steps(client).isEmpty)
            // Other deadlines may come first.
            for _ in 0..<100 where steps(client).isEmpty {
                client.uptime = max(client.uptime, client.core.deadline ?? client.uptime)
                client.handle(.tick)
                if steps(client).isEmpty { client.receive(#"{"type":"pong"}"#) }
            }
        }
        #expect(client.uptime - start > .seconds(60) && client.core.outbox["c1"]?.failure == nil)
    }

    @Test("an offset that the file does not have is not believed", arguments: [-5, Int.min, 600_001, Int.max])
    func offsets(reported: Int) throws {
        var client = H()
        client.connect()
        send(&client)
        client.handle(.answered(try #require(steps(client).first), .declared(attachment: "f1")))
        client.handle(.answered(try #require(steps(client).first), .noAnswer))
        client.uptime += .seconds(60)
        client.handle(.tick)
        client.handle(.answered(try #require(steps(client).first), .has(reported, isComplete: false)))
        let offset = reported < 0 ? 0 : Self.size
        #expect(client.core.outbox["c1"]?.files.first?.offset == offset)
        let next = try #require(steps(client).first)
        guard case .append("f1", offset, let count) = next.action else {
            Issue.record("\(next.action)")
            return
        }
        #expect((0...Self.size - offset).contains(count))
        // An append that is answered so has delivered nothing, or everything.
        client.handle(.answered(next, .has(reported, isComplete: false)))
        #expect(client.core.outbox["c1"]?.files.first?.offset == offset)
    }

    @Test("an attachment that the server has lost is declared again, a bounded number of times")
    func gone() throws {
        var client = H(limits: .init(attemptsWhileUnavailable: 3))
        client.connect()
        send(&client)
        for number in 1...3 {
            client.handle(.answered(try #require(steps(client).first), .declared(attachment: "f\(number)")))
            client.handle(.answered(try #require(steps(client).first), .gone))
            #expect((client.core.outbox["c1"]?.failure == nil) == (number < 3))
            if steps(client).isEmpty {
                client.uptime += .seconds(3)
                client.handle(.tick)
            }
        }
        #expect(steps(client).isEmpty && client.core.outbox["c1"]?.failure?.isRetryable == true)
    }

    @Test("a discarded message takes its files with it, here and on the server, at whatever moment")
    func discard() throws {
        for isDeclared in [false, true] {
            var client = H()
            client.connect()
            send(&client)
            var step = try #require(steps(client).first)
            if isDeclared {
                client.handle(.answered(step, .declared(attachment: "f1")))
                step = try #require(steps(client).first)
            }
            client.handle(.discard("c1"))
            var actions = client.actions
            client.handle(.answered(step, isDeclared ? .has(9, isComplete: false) : .declared(attachment: "f1")))
            actions += client.actions
            let deleted = actions.compactMap { if case .deleteAttachments(let ids) = $0 { ids } else { nil } }
            #expect(deleted == [["f1"]] && client.core.outbox.count == 0 && steps(client).isEmpty)
            #expect(actions.contains { if case .removeFiles("c1") = $0 { true } else { false } })
        }
    }

    @Test("a message whose file the server does not find any more is sent with a new upload of it")
    func lostBeforeSend() throws {
        var client = H()
        client.connect()
        send(&client)
        upload(&client, steps(client).first)
        let refusal = #"{"type":"error","ref":REF,"code":"not_found","message":"no attachment","retryable":false}"#
        client.receive(refusal.replacing("REF", with: "\(client.ref("message"))"))
        let ask = try #require(steps(client).first)
        #expect(ask.action == .ask(attachment: "f1"))
        client.handle(.answered(ask, .gone))
        upload(&client, steps(client).first, as: "f2")
        #expect(client.sent == ["c1", "c1"])
        #expect(client.commands.last?["message"]?["parts"]?.elements?.first?["attachment"]?.text == "f2")
        client.receive(refusal.replacing("REF", with: "\(client.ref("message"))"))
        #expect(client.core.outbox["c1"]?.failure?.code == .notFound)
    }

    @Test("the copies of a message that is stored are removed from the device, and not from the server")
    func stored() {
        var client = H()
        client.connect()
        send(&client)
        upload(&client, steps(client).first)
        client.receive(client.ack(seq: 1), client.ack(seq: 1, level: "stored"), H.message(1, by: "a", client: "c1"))
        #expect(client.core.outbox.count == 0)
        #expect(client.actions.contains { if case .removeFiles("c1") = $0 { true } else { false } })
        #expect(!client.actions.contains { if case .deleteAttachments = $0 { true } else { false } })
    }

    @Test("a file of which is unknown how much the server has holds up no file of another thread")
    func doubt() throws {
        var client = H()
        client.connect(seq: 0, other: 0)
        send(&client, "c1")
        client.handle(.answered(try #require(steps(client).first), .declared(attachment: "f1")))
        client.handle(.answered(try #require(steps(client).first), .busy))
        #expect(steps(client).isEmpty)
        send(&client, "c2", thread: "u")
        upload(&client, steps(client).first, as: "f2")
        #expect(client.sent == ["c2"])
        // It is asked again after its own pause, at once if the user wants that.
        let deadline = try #require(client.core.deadline)
        #expect(deadline <= .milliseconds(500))
        client.handle(.retry("c1"))
        client.uptime = deadline
        client.handle(.tick)
        #expect(steps(client).map(\.action) == [.ask(attachment: "f1")])
    }

    @Test("a server that is unavailable holds up all files")
    func unavailableForAll() throws {
        var client = H()
        client.connect(seq: 0, other: 0)
        send(&client, "c1")
        let refusal = UploadAnswer.refused(code: .unavailable, message: "", retryAfter: .seconds(7))
        client.handle(.answered(try #require(steps(client).first), refusal))
        send(&client, "c2", thread: "u")
        #expect(steps(client).isEmpty)
        client.uptime = try #require(client.core.deadline)
        client.handle(.tick)
        #expect(steps(client).map(\.entry) == ["c1", "c2"])
    }

    @Test("a message whose upload is tried again has its place before later ones of its thread")
    func retriedOrder() throws {
        var client = H()
        client.connect()
        send(&client, "c1")
        let first = try #require(steps(client).first)
        for id in ["c2", "c3"] { send(&client, id) }
        let refusal = UploadAnswer.refused(code: .tooLarge, message: "no", retryAfter: nil)
        client.handle(.answered(first, refusal))
        #expect(steps(client).map(\.entry) == ["c2"])
        let second = try #require(steps(client).first)
        client.handle(.retry("c1"))
        #expect(client.core.outbox.nextUploads.map(\.id) == ["c1"])
        client.handle(.answered(second, refusal))
        #expect(steps(client).map(\.entry) == ["c1"])
    }
}
