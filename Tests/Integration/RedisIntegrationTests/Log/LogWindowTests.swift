import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("Redacted texts are gone from Redis", .timeLimit(.minutes(5)))
struct LogWindowTests {
    private let thread = Samples.thread("t.1")

    private func start() async throws -> RedisFixture {
        var options = RedisServer.Options()
        // Compression would hide texts from the DUMP.
        options.arguments = ["--rdbcompression", "no"]
        return try await RedisFixture.start(Shape(), options)
    }

    /// The log in Redis' dump format, with all bytes that are still in its nodes.
    private func dump(_ fixture: RedisFixture) async throws -> String {
        let reply = try await fixture.node.redis("DUMP", fixture.node.hosts.layout.names.log(of: thread))
        return String(decoding: reply.bytes ?? [], as: UTF8.self)
    }

    @Test("redacted and trimmed texts are gone from the stream's nodes")
    func bytes() async throws {
        let fixture = try await start()
        try await fixture.whileRunning(storing: true) {
            let log = fixture.node.log
            for number in 1...300 {
                _ = try await log.append(
                    Samples.send("secret \(1000 + number).", in: thread, id: "m\(number)"))
            }
            #expect(try await dump(fixture).contains("secret 1280."))
            // No trimmed entry has left its bytes behind.
            let first = try await log.events(in: thread, after: 0, limit: 1).events.first?.position.seq ?? 0
            #expect(first > 100)
            #expect(!(try await dump(fixture).contains("secret \(1000 + first - 1).")))
            try await log.redact(.messages([MessageID(trusted: "m280"), MessageID(trusted: "m1")]), in: thread)
            let text = try await dump(fixture)
            #expect(!text.contains("secret 1280.") && text.contains("secret 1281."))
            let key = fixture.node.hosts.layout.names.log(of: thread)
            #expect(try await fixture.node.redis("PTTL", key).number ?? 0 > 0)
            try await log.forget(thread)
            #expect(try await fixture.node.redis("KEYS", "*t.1*").elements?.isEmpty == true)
        }
    }

    @Test("events appended meanwhile are not lost")
    func meanwhile() async throws {
        let fixture = try await start()
        try await fixture.whileRunning(storing: true) {
            let (one, two) = (fixture.node.log, try await fixture.makeNode().log)
            let replies = ParleyTestSupport.Recorder<Result<Receipt, AppendError>>()
            for number in 1...200 {
                one.append(Samples.send("secret", in: thread, id: "m\(number)")) { replies.record($0) }
                if number.isMultiple(of: 10) {
                    let gone = Set((1...number).map { MessageID(trusted: "m\($0)") })
                    try await two.redact(.messages(gone), in: thread)
                    try await one.redact(.messages(gone), in: thread)
                }
            }
            try await replies.wait(count: 200)
            let all = Set((1...200).map { MessageID(trusted: "m\($0)") })
            try await two.redact(.messages(all), in: thread)
            let events = try await one.events(in: thread, after: 0, limit: 1000).events
            let first = events.first?.position.seq ?? 0
            #expect(events.map(\.position.seq) == Array(first...200))
            #expect(events.count >= fixture.windowEvents)
            #expect(events.allSatisfy { $0.message?.isDeleted == true && $0.message?.text == "" })
            #expect(!(try await dump(fixture).contains("secret")))
        }
    }
}
