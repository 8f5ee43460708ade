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
            let huge = try await fixture.ingest.read(positions, limit: 1000)
            #expect(huge.map(\.partition) == [last])
            #expect(huge.first?.entries.count == 1)
            // Beside another entry it waits for the next read.
            try await fixture.injectUnreadable([7], into: first)
            let small = try await fixture.ingest.read(positions, limit: 1000)
            #expect(small.map(\.partition) == [first])
            await fixture.ingest.stored(small.map { StoredBatch($0, $0.outcomes) })
            let next = try await fixture.ingest.read(positions, limit: 1000)
            #expect(next.map(\.partition) == [last])
        }
    }

    @Test("what short streams leave of the limit is for longer ones")
    func shares() async throws {
        let fixture = try await RedisFixture.start()
        try await fixture.whileRunning(storing: false) {
            let group = fixture.ingest.groups[0]
            for place in [3, 9, 20] { try await fixture.injectUnreadable([1], into: group[place]) }
            for _ in 0..<50 { try await fixture.injectUnreadable([1], into: group[7]) }
            let batches = try await fixture.ingest.read(group.map { IngestPosition($0, after: nil) }, limit: 40)
            #expect(batches.map(\.partition) == [group[3], group[7], group[9], group[20]])
            #expect(batches.map(\.entries.count) == [1, 37, 1, 1])
            #expect(batches.map(\.backlog) == [1, 50, 1, 1])
        }
    }

    @Test("a sender who waits for the storage ends the wait for others; so does a cancellation")
    func awaited() async throws {
        let server = try await RedisServer.start()
        var settings = RedisSettings(addresses: [try RedisAddress(server.url)])
        settings.log.storeDelay = .seconds(24 * 60 * 60)
        let node = try await RedisNode.start(settings, history: NaiveStore())
        let log = Task { await node.log.run() }
        let thread = Samples.thread("t")
        var positions = node.ingest.groups[0].map { IngestPosition($0, after: nil) }
        // The first read of a host does not wait; from then on a read waits for a day if nobody wakes it.
        try await accept(Samples.send("1", in: thread), node)
        positions = after(try await node.ingest.read(positions, limit: 10), positions)
        for text in ["2", "3"] {
            let last = positions
            let waiting = Task { try await node.ingest.read(last, limit: 10) }
            var draft = Samples.send(text, in: thread)
            draft.wantsStored = true
            node.log.append(draft) { _ in }
            let batches = try await waiting.value
            #expect(batches.flatMap(\.events).map { $0.message?.text } == [text])
            positions = after(batches, positions)
        }
        let last = positions
        let waiting = Task { try await node.ingest.read(last, limit: 10) }
        node.log.append(Samples.send("4", in: thread)) { _ in }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        log.cancel()
        await node.stop()
        try await server.stop()
    }

    @Test("several readers of one host wake, each by its own partitions")
    func severalReaders() async throws {
        let server = try await RedisServer.start()
        var settings = RedisSettings(addresses: [try RedisAddress(server.url)])
        settings.log.storeDelay = .seconds(24 * 60 * 60)
        let node = try await RedisNode.start(settings, history: NaiveStore())
        let log = Task { await node.log.run() }
        let threads = (0..<8).map { Samples.thread("thread-\($0)") }
        let partitions = Set(threads.map { node.hosts.layout.names.partition(of: $0) })
        try #require(partitions.count > 2)
        // The first read of a host does not wait.
        for thread in threads { try await accept(Samples.send("first", in: thread), node) }
        var positions: [Partition: IngestPosition] = [:]
        while positions.count < partitions.count {
            let group = node.ingest.groups[0].map { positions[$0] ?? IngestPosition($0, after: nil) }
            for batch in try await node.ingest.read(group, limit: 1) {
                positions[batch.partition] = IngestPosition(batch.partition, after: batch.checkpoint)
            }
        }
        try await withThrowingTaskGroup(of: Int.self) { readers in
            for position in positions.values {
                readers.addTask { try await node.ingest.read([position], limit: 100).flatMap(\.entries).count }
            }
            for thread in threads {
                var draft = Samples.send("second", in: thread)
                draft.wantsStored = true
                node.log.append(draft) { _ in }
            }
            for try await count in readers { #expect(count > 0) }
        }
        log.cancel()
        await node.stop()
    }

    /// Appends an event and waits until it is in the log.
    private func accept(_ draft: EventDraft, _ node: RedisNode) async throws {
        let result = await withCheckedContinuation { accepted in
            node.log.append(draft) { accepted.resume(returning: $0) }
        }
        _ = try result.get()
    }

    /// The positions after batches.
    private func after(_ batches: [IngestBatch], _ positions: [IngestPosition]) -> [IngestPosition] {
        positions.map { position in
            guard let batch = batches.first(where: { $0.partition == position.partition }) else { return position }
            return IngestPosition(position.partition, after: batch.checkpoint)
        }
    }
}
