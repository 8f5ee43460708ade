import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import Testing

@Suite("Ingest streams in Redis", .timeLimit(.minutes(5)))
struct IngestTests {
    @Test(
        "a large entry holds up no stream; one that no reader takes is replaced",
        arguments: [5 << 20, 12 << 20, 17 << 20])
    func largeEntries(_ bytes: Int) async throws {
        let fixture = try await RedisFixture.start()
        try await fixture.whileRunning(storing: false) {
            let group = fixture.ingest.groups[0]
            let positions = group.map { IngestPosition($0, after: nil) }
            for partition in [group[63], group[63], group[0]] {
                try await fixture.injectUnreadable([UInt8](repeating: 7, count: bytes), into: partition)
            }
            try await fixture.injectUnreadable([7], into: group[63])
            var sizes: [Partition: [Int]] = [:]
            while sizes.values.joined().count < 4 {
                let batches = try await fixture.ingest.read(positions, limit: 1000)
                for batch in batches {
                    for case .unreadable(_, let bytes) in batch.entries.map(\.content) {
                        sizes[batch.partition, default: []].append(bytes.count)
                    }
                }
                await fixture.ingest.stored(batches.map { StoredBatch($0, $0.outcomes) })
            }
            let isTaken = bytes < 16 << 20
            #expect(sizes[group[0]]?.count == 1 && sizes[group[63]]?.count == 3)
            #expect(sizes.values.joined().filter { $0 == bytes }.count == (isTaken ? 3 : 0))
            #expect(sizes[group[63]]?.last == 1)
        }
    }

    @Test("an entry of very many fields is a reject too")
    func manyFields() async throws {
        let (server, node) = try await slowReader()
        let group = node.ingest.groups[0]
        var add = RESPCommand(count: 3 + 200_000)
        for word in ["XADD", node.hosts.layout.names.ingest(group[5].number), "*"] { add.append(word) }
        for _ in 0..<200_000 { add.append("") }
        _ = try await node.hosts.commands[0].send(add)
        let batches = try await node.ingest.read(group.map { IngestPosition($0, after: nil) }, limit: 1000)
        #expect(batches.map(\.entries.count) == [1])
        await node.stop()
        try await server.stop()
    }

    @Test(
        "keys of a wrong type stop the storage of their partition only",
        arguments: ["ingest", "incarnation", "awaited"])
    func wrongTypes(_ key: String) async throws {
        let (server, node) = try await slowReader()
        let log = Task { await node.log.run() }
        let group = node.ingest.groups[0]
        let names = node.hosts.layout.names
        let thread = Samples.thread("t")
        let other = try #require(group.first { $0.number != names.partition(of: thread) })
        let stream = names.ingest(other.number)
        let broken = ["ingest": stream, "incarnation": names.incarnation(other.number), "awaited": stream + ":awaited"]
        let name = try #require(broken[key])
        try await node.redis("HSET", name, "a", "b")
        let positions = group.map { IngestPosition($0, after: nil) }
        for text in ["1", "2", "3"] {
            var draft = Samples.send(text, in: thread)
            draft.wantsStored = true
            try await accept(draft, node)
            let batches = try await node.ingest.read(positions, limit: 10)
            #expect(batches.flatMap(\.events).map { $0.message?.text } == [text])
            await report(batches, node)
        }
        #expect(try await node.redis("EXISTS", name).number == (key == "awaited" ? 0 : 1))
        log.cancel()
        await node.stop()
        try await server.stop()
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

    @Test("a read returns what it can, and the next one does not wait, while a stream holds more than fits a reply")
    func manyLargeEntries() async throws {
        let (server, node) = try await slowReader()
        let group = node.ingest.groups[0]
        let positions = group.map { IngestPosition($0, after: nil) }
        for place in [2, 5] {
            for _ in 0..<100 {
                var add = RESPCommand(count: 5)
                for word in ["XADD", node.hosts.layout.names.ingest(group[place].number), "*", "e"] { add.append(word) }
                add.append([UInt8](repeating: 1, count: 100_000))
                _ = try await node.hosts.commands[0].send(add)
            }
        }
        var counts: [Partition: Int] = [:]
        while counts.values.reduce(0, +) < 200 {
            let batches = try await node.ingest.read(positions, limit: 1000)
            #expect(batches.reduce(0) { $0 + $1.entries.count } <= 84)
            for batch in batches { counts[batch.partition, default: 0] += batch.entries.count }
            await node.ingest.stored(batches.map { StoredBatch($0, $0.outcomes) })
        }
        #expect(counts == [group[2]: 100, group[5]: 100])
        await node.stop()
        try await server.stop()
    }

    @Test("a sender who waits for the storage ends the wait for others; so does a cancellation")
    func awaited() async throws {
        let (server, node) = try await slowReader()
        let log = Task { await node.log.run() }
        let thread = Samples.thread("t")
        let positions = node.ingest.groups[0].map { IngestPosition($0, after: nil) }
        // The first read of a host does not wait; from then on a read waits for a day if nobody wakes it.
        try await accept(Samples.send("1", in: thread), node)
        await report(try await node.ingest.read(positions, limit: 10), node)
        for text in ["2", "3"] {
            let waiting = Task { try await node.ingest.read(positions, limit: 10) }
            var draft = Samples.send(text, in: thread)
            draft.wantsStored = true
            try await accept(draft, node)
            let batches = try await waiting.value
            #expect(batches.flatMap(\.events).map { $0.message?.text } == [text])
            await report(batches, node)
        }
        // Nobody waits for this one. The reader may be anywhere in its wait when it is cancelled.
        try await accept(Samples.send("4", in: thread), node)
        for turns in 0..<50 {
            let waiting = Task { try await node.ingest.read(positions, limit: 10) }
            for _ in 0..<turns { await Task.yield() }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
        log.cancel()
        await node.stop()
        try await server.stop()
    }

    @Test("a deletion and an erasure end the wait for others: the database shows the texts until they are stored")
    func removals() async throws {
        let (server, node) = try await slowReader()
        let log = Task { await node.log.run() }
        let (thread, ann) = (Samples.thread("t"), Samples.user("ann"))
        let positions = node.ingest.groups[0].map { IngestPosition($0, after: nil) }
        try await accept(Samples.send("1", in: thread, id: "m1"), node)
        await report(try await node.ingest.read(positions, limit: 10), node)
        var waiting = Task { try await node.ingest.read(positions, limit: 10) }
        let deletion = MessageDeletion(messageID: MessageID(trusted: "m1"), messageSeq: 1, by: ann.id)
        try await accept(EventDraft(thread: thread, body: .deleted(deletion)), node)
        let deleted = try await waiting.value
        #expect(deleted.flatMap(\.events).map(\.body) == [.deleted(deletion)])
        await report(deleted, node)
        // Nobody waits for this one, until its sender is erased.
        try await accept(Samples.send("2", in: thread), node)
        waiting = Task { try await node.ingest.read(positions, limit: 10) }
        try await node.log.redact(ann.id, in: thread)
        #expect(try await waiting.value.flatMap(\.events).map { $0.message?.text } == ["2"])
        log.cancel()
        await node.stop()
        try await server.stop()
    }

    @Test("several readers of one host wake, each by its own partitions")
    func severalReaders() async throws {
        let (server, node) = try await slowReader()
        let log = Task { await node.log.run() }
        let threads = (0..<8).map { Samples.thread("thread-\($0)") }
        let partitions = Set(threads.map { Partition(number: node.hosts.layout.names.partition(of: $0)) })
        try #require(partitions.count > 2)
        for thread in threads { try await accept(Samples.send("first", in: thread), node) }
        let positions = node.ingest.groups[0].map { IngestPosition($0, after: nil) }
        await report(try await node.ingest.read(positions, limit: 100), node)
        try await withThrowingTaskGroup(of: Int.self) { readers in
            for partition in partitions {
                readers.addTask {
                    try await node.ingest.read([IngestPosition(partition, after: nil)], limit: 100)
                        .flatMap(\.entries).count
                }
            }
            for thread in threads {
                var draft = Samples.send("second", in: thread)
                draft.wantsStored = true
                try await accept(draft, node)
            }
            for try await count in readers { #expect(count > 0) }
        }
        log.cancel()
        await node.stop()
        try await server.stop()
    }

    /// A Redis, and a node that reads its streams once a day if nobody wakes it.
    private func slowReader() async throws -> (server: RedisServer, node: RedisNode) {
        let server = try await RedisServer.start()
        var settings = RedisSettings(addresses: [try RedisAddress(server.url)])
        settings.log.storeDelay = .seconds(24 * 60 * 60)
        return (server, try await RedisNode.start(settings, history: NaiveStore()))
    }

    /// Appends an event and waits until it is in the log.
    private func accept(_ draft: EventDraft, _ node: RedisNode) async throws {
        let result = await withCheckedContinuation { accepted in
            node.log.append(draft) { accepted.resume(returning: $0) }
        }
        _ = try result.get()
    }

    private func report(_ batches: [IngestBatch], _ node: RedisNode) async {
        await node.ingest.stored(batches.map { StoredBatch($0, $0.outcomes) })
    }
}
