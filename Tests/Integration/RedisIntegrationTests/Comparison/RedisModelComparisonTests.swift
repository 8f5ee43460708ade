import Foundation
import ParleyRedis
import ParleyRedisClient
import ParleyRedisModel
import ParleyRedisTestSupport
import ParleyTestSupport
import Testing

/// The model replies what a real server replies. `PARLEY_MODEL_SEQUENCES` sets the number of random sequences,
/// `PARLEY_MODEL_SEED` the first seed.
@Suite("The model of Redis behaves as a server does", .timeLimit(.minutes(60)))
struct RedisModelComparisonTests {
    private static let start: Int64 = 1_800_000_000_123_456

    @Test("random sequences of calls have the same replies, and leave the same keys")
    func sequences() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["PARLEY_MODEL_SEQUENCES"].flatMap(UInt64.init) ?? 150
        let first = environment["PARLEY_MODEL_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0..<1 << 32)
        let real = try await PinnedRedis.start(at: Self.start)
        var comparison = try begin(real, at: Self.start)
        var differences = 0
        for seed in first..<(first + count) where differences < 10 {
            do {
                try play(seed, comparison)
            } catch {
                Issue.record("PARLEY_MODEL_SEED=\(seed): \(error)")
                differences += 1
                comparison = try begin(real, at: comparison.microseconds + 100_000_000)
            }
        }
        #expect(comparison.model.complaints.isEmpty)
    }

    /// A comparison with new connections, whose scripts are loaded.
    private func begin(_ real: PinnedRedis, at microseconds: Int64) throws -> ModelComparison {
        try real.set(microseconds: microseconds)
        let comparison = try ModelComparison(real, RedisCallGenerator.settings, at: microseconds)
        // A difference may have left it a replica.
        try comparison.setReadOnly(false)
        try load(comparison)
        return comparison
    }

    private func load(_ comparison: ModelComparison) throws {
        for settings in RedisCallGenerator.settings {
            let hosts = RedisScripts(settings)
            try comparison.send(hosts.all.map { ["SCRIPT", "LOAD", $0.source] }, as: .main)
            let queues = [
                RedisScripts.queueTake, RedisScripts.queueCommit, RedisScripts.queueOverdue, RedisScripts.queueSend,
                RedisScripts.queueMembers,
            ]
            try comparison.send(queues.map { ["SCRIPT", "LOAD", $0.source] }, as: .main)
        }
    }

    private func play(_ seed: UInt64, _ comparison: ModelComparison) throws {
        try comparison.begin()
        var random = SeededGenerator(seed)
        let settings = RedisCallGenerator.settings
        let chosen = settings[Int.random(in: 0..<settings.count, using: &random)]
        var calls = RedisCallGenerator(random, chosen) { key in
            var model = comparison.model
            return model.execute(["GET", key], at: comparison.microseconds).0.bytes
        }
        for _ in 0..<calls.draw(3...10) {
            try comparison.move(by: calls.draw([0, 1, 999, 40_000, 700_000, 1_100_000, 4_000_000, 65_000_000]))
            calls.now = comparison.microseconds / 1000
            if calls.chance(20) { try comparison.send([calls.subscriberCommand()], as: .subscriber) }
            if calls.chance(20), !comparison.isWaiting { try comparison.send([calls.waiterCommand()], as: .waiter) }
            try playMain(&calls, comparison)
        }
        try compareKeys(comparison)
    }

    /// A burst of commands; sometimes above the memory limit, or as a replica.
    private func playMain(_ calls: inout RedisCallGenerator, _ comparison: ModelComparison) throws {
        let count = calls.draw(1...20)
        switch calls.draw(0...19) {
        case 0:
            // The model counts no memory of an empty server.
            try comparison.send([["SET", "k9", "v"], ["CONFIG", "SET", "maxmemory", "1"]], as: .main)
            try comparison.send((0..<count).map { _ in calls.next() }, as: .main)
            try comparison.send([["CONFIG", "SET", "maxmemory", "0"]], as: .main)
        case 1 where !comparison.isWaiting:
            try comparison.setReadOnly(true)
            try comparison.send((0..<count).map { _ in calls.readable() }, as: .main)
            try comparison.setReadOnly(false)
        default:
            // One after another, since arguments depend on what is stored.
            for _ in 0..<count { try comparison.send([calls.next()], as: .main) }
        }
    }

    private func compareKeys(_ comparison: ModelComparison) throws {
        var model = comparison.model
        let now = comparison.microseconds
        let keys = model.execute(["KEYS", "*"], at: now).0.elements?.compactMap(\.text) ?? []
        try comparison.send([["KEYS", "*"]], as: .main)
        for key in keys {
            let type = model.execute(["TYPE", key], at: now).0.text ?? ""
            let reading = [
                "string": ["GET", key], "list": ["LRANGE", key, "0", "-1"], "hash": ["HGETALL", key],
                "zset": ["ZRANGE", key, "0", "-1", "WITHSCORES"], "stream": ["XRANGE", key, "-", "+"],
            ]
            try comparison.send([["TYPE", key], ["PTTL", key], reading[type] ?? ["GET", key]], as: .main)
        }
    }
}

extension RedisCallGenerator {
    /// A command whose reply does not say how far the server has replicated.
    fileprivate mutating func readable() -> Command {
        while true {
            let command = next()
            if command.first != Array("ROLE".utf8) { return command }
        }
    }
}
