import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("A message whose attachments were given up is not appended later", .timeLimit(.minutes(2)))
struct WithdrawalTests {
    private let thread = Samples.thread("room")

    private func draft(_ id: String) -> EventDraft {
        let file = MediaPart(type: "image/png", url: "/v1/attachments/f", attachment: AttachmentID(trusted: "f"))
        return EventDraft(
            thread: thread,
            body: .message(
                Message(id: MessageID(trusted: id), sender: Samples.user("ann"), text: "", parts: [.media(file)])))
    }

    @Test("an append that is held up on its way to Redis is refused when it arrives", arguments: [false, true])
    func heldUp(isConnectionLost: Bool) async throws {
        let server = try await RedisServer.start()
        let proxy = try await TCPProxy.start(to: server.port)
        let direct = RedisSettings(addresses: [try RedisAddress(server.url)])
        let proxied = RedisSettings(
            addresses: [try RedisAddress(server.url.replacing(":\(server.port)", with: ":\(proxy.port)"))])
        let (slow, quick) = (
            try await RedisNode.start(proxied, history: NaiveStore()),
            try await RedisNode.start(direct, history: NaiveStore())
        )
        let running = Task {
            await withTaskGroup(of: Void.self) { group in
                for node in [slow, quick] { group.addTask { await node.run() } }
            }
        }
        for (node, text) in [(slow, "one"), (quick, "two")] {
            _ = try await node.log.append(Samples.send(text, in: thread))
        }
        proxy.become(.frozen)
        let replies = Recorder<Result<Receipt, AppendError>>()
        for id in ["m1", "m2"] { slow.log.append(draft(id)) { replies.record($0) } }
        try await quick.log.withdraw(MessageID(trusted: "m1"), from: thread)
        // What was sent is delivered nevertheless, as by a real network.
        if isConnectionLost { await slow.hosts.stop() }
        proxy.become(.normal)
        let results = try await replies.wait(count: 2)
        #expect(throws: AppendError.self) { try results[0].get() }
        if !isConnectionLost { #expect(throws: Never.self) { try results[1].get() } }
        #expect(
            try await eventually {
                try await quick.log.events(in: thread, after: 2, limit: 10).events.map { $0.message?.id.text } == ["m2"]
            })
        running.cancel()
        await running.value
        for node in [slow, quick] { await node.stop() }
        try await server.stop()
    }
}
