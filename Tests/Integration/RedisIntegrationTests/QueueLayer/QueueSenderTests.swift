import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("Messages reach the queues of Django's consumers once, in order", .timeLimit(.minutes(3)))
struct QueueSenderTests {
    private let thread = Samples.thread("room")

    @Test("what three nodes accept at the same time is in each queue once, by seq", arguments: Shape.core)
    func order(_ shape: Shape) async throws {
        let fixture = try await RedisFixture.start(shape)
        let processes = [
            try await DjangoQueues.start(fixture.settings), try await DjangoQueues.start(fixture.settings, process: 2),
        ]
        try await fixture.whileRunning(storing: true) {
            var nodes: [LogNode] = []
            for _ in 0..<3 { nodes.append(try await fixture.makeNode()) }
            for node in nodes { try await node.bus.subscribe(to: [.thread(thread)]) }
            for django in processes { try await django.join("room") }
            try await processes[0].join("room", as: "b")
            var taken: [[DjangoQueues.Received]] = [[], []]
            let each = 30
            for round in 0..<3 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (index, node) in nodes.enumerated() {
                        group.addTask {
                            for number in 0..<each / 3 {
                                _ = try await node.log.append(
                                    Samples.send("\(index) \(round) \(number)", in: thread))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                // In rounds, since a queue holds 100.
                for (index, django) in processes.enumerated() { taken[index] += try await django.receive(each) }
            }
            for (django, received) in zip(processes, taken) {
                try #require(received.map(\.seq) == (1...90).map { Int64($0) }, "seqs in a queue")
                let channels = django.queue == processes[0].queue ? ["a", "b"] : ["a"]
                try #require(received.allSatisfy { $0.channels == channels.map { django.queue + $0 } }, "channels")
                try #require(received.allSatisfy { $0.event["type"]?.text == "chat.message" }, "types")
            }
            let foreign = nodes.flatMap(\.received.elements).filter { if case .foreign = $0 { true } else { false } }
            try #require(foreign.isEmpty, "nodes do not get messages from the groups")
        }
        for django in processes { await django.stop() }
    }

    @Test("a full queue gets nothing, is counted, and stops neither the chat nor other queues")
    func capacity() async throws {
        let fixture = try await RedisFixture.start(Shape(isCore: true))
        let full = try await DjangoQueues.start(fixture.settings)
        let reading = try await DjangoQueues.start(fixture.settings, process: 2)
        let metrics = MetricsRecorder()
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.start(named: "sender", metrics: metrics).logNode
            for django in [full, reading] { try await django.join("room") }
            for number in 1...3 {
                for each in 1...50 {
                    _ = try await node.log.append(Samples.send("\(number) \(each)", in: thread))
                }
                _ = try await reading.receive(50)
            }
            let received = try await full.receive(100)
            try #require(received.map(\.seq) == (1...100).map { Int64($0) }, "the oldest")
            try #require(metrics["parley_channels_over_capacity_total{}"] == 50, "left out")
            try #require(metrics["parley_channels_sent_total{}"] == 250, "sent")
            _ = try await node.log.append(Samples.send("again", in: thread))
            try #require(try await full.receive(1).map(\.text) == ["again"], "when there is room")
        }
        for django in [full, reading] { await django.stop() }
    }

    @Test("messages of a node that has died are sent by another, once and in order", arguments: Shape.core)
    func takeover(_ shape: Shape) async throws {
        let fixture = try await RedisFixture.start(shape)
        let django = try await DjangoQueues.start(fixture.settings)
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.makeNode()
            // Of a node that dies after each append: its sender never learns of it.
            let dying = try await fixture.start(named: "dying")
            try await django.join("room")
            for number in 1...5 { _ = try await dying.log.append(Samples.send("\(number)", in: thread)) }
            try #require(try await django.receive(5).map(\.seq) == [1, 2, 3, 4, 5], "taken over")
            for number in 6...8 { _ = try await dying.log.append(Samples.send("\(number)", in: thread)) }
            _ = try await node.log.append(Samples.send("9", in: thread))
            try #require(try await django.receive(4).map(\.seq) == [6, 7, 8, 9], "before those of the next node")
            // Dies after it has sent, and before it has committed.
            let host = fixture.node.hosts.layout.host(of: thread)
            try await fixture.node.redis("ZADD", "parley:django:due", "1", "room", host: host)
            try await fixture.node.redis("HSET", "parley:django:from", "room", "7", host: host)
            let isDone = try await eventually {
                try await fixture.node.redis("EXISTS", "parley:django:due", host: host).number == 0
            }
            try #require(isDone, "the turn is over")
            try #require(try await django.receive().isEmpty, "nothing twice")
        }
        await django.stop()
    }

    @Test("after a restart of Redis, what was accepted before is sent")
    func restart() async throws {
        let fixture = try await RedisFixture.start(Shape(isCore: true), RedisServer.Options(keepsData: true))
        let django = try await DjangoQueues.start(fixture.settings)
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.makeNode()
            let silent = try await fixture.start(named: "silent")
            try await django.join("room")
            _ = try await node.log.append(Samples.send("1", in: thread))
            _ = try await django.receive(1)
            _ = try await silent.log.append(Samples.send("2", in: thread))
            try await fixture.servers[0].restart()
            var isAccepted = false
            while !isAccepted { isAccepted = (try? await node.log.append(Samples.send("3", in: thread))) != nil }
            var seqs: [Int64?] = []
            _ = try await eventually(within: .seconds(20)) {
                seqs += ((try? await django.receive()) ?? []).map(\.seq)
                return seqs.count >= 2
            }
            // Appends that were not acknowledged may have been accepted too.
            try #require(seqs == seqs.indices.map { Int64($0) + 2 }, "in order, each once: \(seqs)")
        }
        await django.stop()
    }

    @Test("a queue with a clock ahead, an old score or a wrong type keeps the order of others")
    func clocks() async throws {
        let fixture = try await RedisFixture.start(Shape(isCore: true))
        let ahead = try await DjangoQueues.start(fixture.settings)
        let odd = try await DjangoQueues.start(fixture.settings, process: 2)
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.makeNode()
            for django in [ahead, odd] { try await django.join("room") }
            try await odd.send(on: odd.queue, "RPUSH", "asgi\(odd.queue)", "a list of channels_redis 2")
            let payload = try MessagePackWriter.encode(QueueMember.event(DjangoQueues.message(0), to: ["a"]))
            try await ahead.put(payload, into: ahead.queue, age: -20)
            try await ahead.put(payload, into: ahead.queue, age: 120)
            for number in 1...3 { _ = try await node.log.append(Samples.send("\(number)", in: thread)) }
            // Before that, the queue may still have what has expired.
            let isThere = try await eventually {
                try await ahead.send(on: ahead.queue, "ZCARD", "asgi\(ahead.queue)").number == 4
            }
            try #require(isThere, "four events wait")
            let received = try await ahead.receive()
            try #require(received.map(\.seq) == [nil, 1, 2, 3], "behind what waits, without what has expired")
        }
        for django in [ahead, odd] { await django.stop() }
    }
}
