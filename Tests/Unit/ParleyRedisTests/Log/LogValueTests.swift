import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyTestContracts
import Testing

@Suite("Values of the log")
struct LogValueTests {
    @Test("a head is read back as packed")
    func packedHead() throws {
        let head = PackedHead(
            seq: 1 << 40, messageCount: 12, milliseconds: 1_700_000_000_123, doubt: 7, epoch: Epoch("abcd1234"))
        #expect(head.bytes.count == PackedHead.length)
        #expect(PackedHead(head.bytes) == head)
        #expect(PackedHead(head.bytes + [1, 2, 3]) == head)
        #expect(PackedHead(head.bytes.dropLast()) == nil)
    }

    @Test("seen positions only rise, restart with an epoch, and are bounded")
    func seenPositions() {
        let seen = SeenPositions(limit: 3)
        let thread = Samples.thread("t")
        let (one, two) = (Epoch("one"), Epoch("two"))
        for seq in [3, 5, 4] as [Int64] { seen.note(Position(epoch: one, seq: seq), of: thread) }
        #expect(seen[thread] == Position(epoch: one, seq: 5))
        seen.note(Position(epoch: two, seq: 1), of: thread)
        #expect(seen[thread] == Position(epoch: two, seq: 1))
        for number in 0..<3 { seen.note(Position(epoch: one, seq: 1), of: Samples.thread("t\(number)")) }
        #expect(seen[thread] == nil)
        #expect(seen[Samples.thread("t0")] != nil)
        #expect(seen[Samples.thread("t2")] != nil)
    }

    @Test("an announcement counts only if it continues what is known")
    func heardPositions() {
        let seen = SeenPositions(limit: 3)
        let thread = Samples.thread("t")
        let (one, two) = (Epoch("one"), Epoch("two"))
        let reach = Position.reach
        seen.heard(Position(epoch: one, seq: reach + 1), of: thread)
        #expect(seen[thread] == nil)
        seen.heard(Position(epoch: one, seq: 2), of: thread)
        #expect(seen[thread] == Position(epoch: one, seq: 2))
        seen.note(Position(epoch: one, seq: 5), of: thread)
        for position in [
            Position(epoch: one, seq: 4), Position(epoch: one, seq: 6 + reach), Position(epoch: two, seq: 7),
            Position(epoch: one, seq: LogBounds.seqs.upperBound),
        ] {
            seen.heard(position, of: thread)
            #expect(seen[thread] == Position(epoch: one, seq: 5))
        }
        seen.heard(Position(epoch: one, seq: 5 + reach), of: thread)
        #expect(seen[thread] == Position(epoch: one, seq: 5 + reach))
        seen.note(Position(epoch: two, seq: 8), of: thread)
        seen.heard(Position(epoch: two, seq: 9), of: thread)
        #expect(seen[thread] == Position(epoch: two, seq: 9))
    }

    @Test("scripts are identified by their text")
    func scripts() {
        var settings = RedisSettings(addresses: [RedisAddress(.tcp(host: "h", port: 1))])
        let plain = RedisScripts(settings)
        #expect(Set(plain.all.map(\.sha)).count == plain.all.count)
        settings.log.windowEvents = 7
        #expect(RedisScripts(settings).message.source.contains("'MAXLEN', '~', '7'"))
        settings.channels.serializer = .json
        #expect(RedisScripts(settings).message.sha != plain.message.sha)
        // The reply to `redis-cli SCRIPT LOAD "return 1"`.
        #expect(RedisScript("return 1").sha == "e0e1f9fabfc9d4800c877a703b823ac0578ff8db")
    }
}
