import ParleyModel
import ParleyRedis
import ParleyTestSupport
import Testing

@Suite("Ingest streams in Redis", .timeLimit(.minutes(5)))
struct IngestTests {
    @Test("an entry that is larger than a whole reply may be is read, and holds up no stream")
    func hugeEntry() async throws {
        let fixture = try await RedisFixture.start()
        try await fixture.whileRunning(storing: false) {
            let group = fixture.ingest.groups[0]
            let (first, last) = (group[0], group[group.count - 1])
            let positions = group.map { IngestPosition($0, after: nil) }
            try await fixture.injectUnreadable([UInt8](repeating: 7, count: 9 << 20), into: last)
            let huge = try await fixture.ingest.read(positions, limit: 1000, waits: true)
            #expect(huge.map(\.partition) == [last])
            #expect(huge.first?.entries.count == 1)
            // Beside another entry it waits for the next read.
            try await fixture.injectUnreadable([7], into: first)
            let small = try await fixture.ingest.read(positions, limit: 1000, waits: true)
            #expect(small.map(\.partition) == [first])
            await fixture.ingest.stored(small.map { StoredBatch($0, $0.outcomes) })
            let next = try await fixture.ingest.read(positions, limit: 1000, waits: true)
            #expect(next.map(\.partition) == [last])
        }
    }
}
