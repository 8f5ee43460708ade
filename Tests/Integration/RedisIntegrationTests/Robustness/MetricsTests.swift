import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("Metrics of the connections", .timeLimit(.minutes(5)))
struct MetricsTests {
    @Test("state, commands, durations and losses are recorded")
    func series() async throws {
        let server = try await RedisServer.start()
        let table = MetricsRecorder()
        var settings = RedisSettings(addresses: [try RedisAddress(server.url)])
        // Heartbeats would be counted too.
        settings.link.heartbeat = .seconds(600)
        let node = try await RedisNode.start(settings, history: NaiveStore(), metrics: table)
        let host = "127.0.0.1:\(server.port)"
        #expect(table["parley_redis_up{\(host),command}"] == 1)
        #expect(table["parley_redis_up{\(host),subscriber}"] == 1)
        for _ in 0..<10 { try await node.redis("PING") }
        #expect(table["parley_redis_commands_total{\(host)}"] == 10)
        #expect(table["parley_redis_writes_total{\(host)}"] ?? 0 <= 10)
        #expect(table["parley_redis_command_seconds{\(host)}"] ?? 0 > 0)
        try await server.kill()
        #expect(
            try await eventually {
                table["parley_redis_up{\(host),command}"] == 0 && table["parley_redis_up{\(host),subscriber}"] == 0
                    && table["parley_redis_attempts_failed_total{\(host),command}"] ?? 0 > 0
            })
        #expect(table["parley_redis_lost_total{\(host),command}"] == 1)
        _ = try? await node.redis("PING")
        #expect(table["parley_redis_refused_total{\(host)}"] == 1)
        await node.stop()
    }

    @Test("unanswered commands are bounded in number and in bytes")
    func bounds() async throws {
        let fake = try await FakeRedis.start { $0.first == "GET" ? "" : nil }
        var settings = RedisSettings(addresses: [RedisAddress(.tcp(host: "127.0.0.1", port: fake.port))])
        settings.link.commands = 10
        settings.link.commandBytes = 1000
        let node = try await RedisNode.start(settings, history: NaiveStore())
        let replies = Recorder<Result<RESPValue, RedisError>>()
        for _ in 0..<15 { node.hosts.commands[0].send(RESPCommand("GET", "x")) { replies.record($0) } }
        let refused = try await replies.wait(count: 5)
        #expect(refused == [Result<RESPValue, RedisError>](repeating: .failure(.overloaded), count: 5))
        await node.stop()
        // Every command is completed.
        let all = try await replies.wait(count: 15)
        #expect(all.suffix(10) == [Result<RESPValue, RedisError>](repeating: .failure(.lost), count: 10)[...])
        let other = try await RedisNode.start(settings, history: NaiveStore())
        let large = Recorder<Result<RESPValue, RedisError>>()
        for _ in 0..<3 {
            let command = RESPCommand("GET", String(repeating: "x", count: 400))
            other.hosts.commands[0].send(command) { large.record($0) }
        }
        #expect(try await large.wait(count: 1) == [.failure(.overloaded)])
        await other.stop()
        try await fake.stop()
    }
}
