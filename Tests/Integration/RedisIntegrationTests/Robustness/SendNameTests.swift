import Logging
import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Synchronization
import Testing

@Suite("A clientID is one send permanently, whatever Redis remembers", .timeLimit(.minutes(5)))
struct SendNameTests {
    private let thread = Samples.thread("room")

    private func now(_ fixture: RunningRedis) async throws -> Int64 {
        let time = try await fixture.nodes[0].redis("TIME").elements?.compactMap(\.number) ?? []
        return (time.first ?? 0) * 1000 + (time.last ?? 0) / 1000
    }

    /// Names of every form, made now.
    private func names(_ fixture: RunningRedis) async throws -> [String] {
        let time = try await now(fixture)
        return [Samples.uuidv7(at: time), Samples.ulid(at: time), "random-\(time)"]
    }

    /// Stores the log of a thread.
    private func keep(_ fixture: RunningRedis) async throws {
        let stored = Int64(fixture.store.log(of: thread).count)
        fixture.store.seed(try await fixture.nodes[0].log.events(in: thread, after: stored, limit: 1000).events)
    }

    private func expectConflict(_ fixture: RunningRedis, _ draft: EventDraft) async {
        await #expect(throws: AppendError.conflict) { try await fixture.nodes[0].log.append(draft) }
    }

    @Test("sends forgotten by Redis are found in the store", arguments: [true, false])
    func forgotten(_ byTime: Bool) async throws {
        let fixture = try await RunningRedis.start { if byTime { $0.log.onceMilliseconds = 400 } }
        let log = fixture.nodes[0].log
        _ = try await log.append(Samples.send("first", in: thread))
        var firsts: [(name: String, receipt: Receipt)] = []
        for name in try await names(fixture) {
            let receipt = try await log.append(Samples.send("hi", in: thread, clientID: name, id: name))
            firsts.append((name, receipt))
        }
        try await keep(fixture)
        if byTime {
            #expect(
                try await eventually {
                    try await fixture.server.cli("--raw", "KEYS", "*:once:*").allSatisfy(\.isWhitespace)
                })
        } else {
            try await fixture.server.cli("FLUSHALL")
        }
        for (name, receipt) in firsts {
            // First another thread, which has never been used.
            await expectConflict(fixture, Samples.send("hi", in: Samples.thread("new-\(name)"), clientID: name))
            await expectConflict(fixture, Samples.send("ho", in: thread, clientID: name))
            var expected = receipt
            expected.isRepeat = true
            for _ in 0..<2 {
                #expect(try await log.append(Samples.send("hi", in: thread, clientID: name, id: "x")) == expected)
            }
        }
        await fixture.stop()
    }

    @Test("a clientID ahead of the clock proves nothing when its time has come")
    func ahead() async throws {
        let fixture = try await RunningRedis.start { $0.log.onceMilliseconds = 1000 }
        let log = fixture.nodes[0].log
        _ = try await log.append(Samples.send("first", in: thread, clientID: "warm"))
        let time = try await now(fixture) + 1500
        let name = Samples.uuidv7(at: time)
        let first = try await log.append(Samples.send("hi", in: thread, clientID: name))
        #expect(!first.isRepeat)
        // It is not stored: only Redis remembers it, until its own time and for as long again.
        #expect(try await eventually { try await now(fixture) > time + 100 })
        let again = try await log.append(Samples.send("hi", in: thread, clientID: name))
        #expect(again.isRepeat && again.position == first.position)
        await expectConflict(fixture, Samples.send("ho", in: thread, clientID: name))
        // With a time in the far future, which requires a lookup.
        let far = Samples.uuidv7(at: (1 << 48) - 1)
        fixture.store.seed([Samples.event("old", in: Samples.thread("attic"), seq: 1, clientID: far)])
        await expectConflict(fixture, Samples.send("new", in: thread, clientID: far))
        await fixture.stop()
    }

    @Test("new time-ordered clientIDs need no lookup; others share few, in order")
    func cost() async throws {
        let fixture = try await RunningRedis.start()
        let log = fixture.nodes[0].log
        let threads = (0..<10).map { Samples.thread("t\($0)") }
        for thread in threads {
            _ = try await log.append(Samples.send("first", in: thread, clientID: "first-\(thread)"))
        }
        let before = fixture.store.lookups.count
        for number in 0..<50 {
            let time = try await now(fixture)
            let name = number.isMultiple(of: 2) ? Samples.uuidv7(at: time) : Samples.ulid(at: time)
            _ = try await log.append(Samples.send("\(number)", in: threads[number % 10], clientID: name))
        }
        // Except those sent in the very millisecond of their creation.
        #expect(fixture.store.lookups.count <= before + 5)
        let replies = Recorder<(Int, Result<Receipt, AppendError>)>()
        for number in 0..<1000 {
            // Some without a name, or with one that proves itself: they do not overtake.
            let name: String? =
                switch number % 5 {
                case 0: nil
                case 1: Samples.uuidv7(at: try await now(fixture))
                default: "random \(number)"
                }
            log.append(Samples.send("\(number)", in: threads[number / 5 % 10], clientID: name)) {
                replies.record((number, $0))
            }
        }
        var seqs = [Int64](repeating: 0, count: 1000)
        for (number, reply) in try await replies.wait(count: 1000) {
            seqs[number] = try reply.get().position.seq
        }
        for (index, _) in threads.enumerated() {
            let mine = (0..<1000).filter { $0 / 5 % 10 == index }.map { seqs[$0] }
            #expect(mine == Array(7..<107))
        }
        let requested = fixture.store.lookups.dropFirst(before)
        #expect(requested.reduce(0, +) <= 805)
        #expect(requested.count <= 500)
        await fixture.stop()
    }

    /// How many of 20 new time-ordered names were looked up in the store.
    private func requested(_ log: RedisLog, _ fixture: RunningRedis) async throws -> Int {
        let before = fixture.store.lookups.count
        for number in 0..<20 {
            let name = Samples.uuidv7(at: try await now(fixture))
            _ = try await log.append(Samples.send("\(number)", in: thread, clientID: name))
        }
        return fixture.store.lookups.count - before
    }

    private static let day: Int64 = 24 * 60 * 60 * 1000

    @Test("a thread ahead of the clock causes no lookups for other threads")
    func datedAhead() async throws {
        let fixture = try await RunningRedis.start()
        let log = fixture.nodes[0].log
        let (odd, time) = (Samples.thread("odd"), try await now(fixture))
        fixture.store.seed([Samples.event("old", in: odd, seq: 1, milliseconds: time + Self.day)])
        _ = try await log.append(Samples.send("first", in: thread))
        let late = try await log.append(Samples.send("hi", in: odd, clientID: "random"))
        #expect(late.milliseconds == time + Self.day)
        // Except those sent in the very millisecond of their creation.
        #expect(try await requested(log, fixture) <= 5)
        await fixture.stop()
    }

    @Test("a clock that was set is detected by the next reply")
    func clockSet() async throws {
        let fixture = try await RunningRedis.start()
        let lead = Mutex<Int64>(-Self.day)
        let log = RedisLog(
            hosts: fixture.nodes[0].hosts, history: fixture.store,
            clock: WallClock { WallClock.system.milliseconds + lead.withLock { $0 } }, logger: Logger(label: "test"))
        let running = Task { await log.run() }
        _ = try await log.append(Samples.send("first", in: thread))
        _ = try await log.append(Samples.send("hi", in: thread, clientID: "random 1"))
        lead.withLock { $0 = 0 }
        _ = try await log.append(Samples.send("hi", in: thread, clientID: "random 2"))
        #expect(try await requested(log, fixture) <= 5)
        running.cancel()
        await running.value
        await fixture.stop()
    }

    @Test("a store that does not reply blocks no send, and is queried again later")
    func slowStore() async throws {
        let server = try await RedisServer.start()
        var settings = RedisSettings(addresses: [try RedisAddress(server.url)])
        settings.log.lookupLimit = .milliseconds(50)
        let history = GatedHistory()
        let node = try await RedisNode.start(settings, history: history)
        let running = Task { await node.log.run() }
        _ = try await node.log.append(Samples.send("first", in: thread))
        history.close()
        for number in 0..<5 {
            let receipt = try await node.log.append(Samples.send("\(number)", in: thread, clientID: "random \(number)"))
            #expect(receipt.position.seq == Int64(number) + 2)
        }
        // Nobody waits for the second and all later queries, since the first has no reply yet.
        #expect(history.waiting == 1)
        history.open()
        #expect(
            try await eventually {
                let name = "old \(UInt64.random(in: 0 ... .max))"
                history.store.seed([
                    Samples.event("old", in: Samples.thread(FNV1a128.hex(of: name)), seq: 1, clientID: name)
                ])
                do throws(AppendError) {
                    _ = try await node.log.append(Samples.send("new", in: thread, clientID: name))
                    return false
                } catch {
                    return error == .conflict
                }
            })
        running.cancel()
        await running.value
        await node.stop()
    }

    @Test("the text of a send cannot be guessed from what Redis keeps")
    func keyed() async throws {
        let fixture = try await RunningRedis.start { $0.log.secret = Array("a secret".utf8) }
        let name = "random"
        _ = try await fixture.nodes[0].log.append(Samples.send("yes", in: thread, clientID: name))
        let kept = try await fixture.nodes[0].redis(
            "GET", fixture.nodes[0].hosts.layout.names.once(UserID(trusted: "ann"), name))
        let text = String(decoding: kept.bytes?.dropFirst(PackedHead.length) ?? [], as: UTF8.self)
        #expect(!text.isEmpty)
        #expect(!text.contains(FNV1a128.hex(of: "room\nyes")))
        let message = Samples.message("yes", clientID: name)
        #expect(text.hasPrefix(SendDigest(secret: Array("a secret".utf8)).of(message, in: thread)))
        #expect(!text.hasPrefix(SendDigest(secret: Array("a guess".utf8)).of(message, in: thread)))
        await fixture.stop()
    }
}

/// A store whose queries for sends can be held up.
private final class GatedHistory: LogHistory {
    let store = NaiveStore()
    private let gate = Mutex((isOpen: true, held: [CheckedContinuation<Void, Never>]()))

    /// The number of held queries.
    var waiting: Int { gate.withLock { $0.held.count } }

    func close() { gate.withLock { $0.isOpen = false } }

    func open() {
        let held = gate.withLock { gate in
            gate.isOpen = true
            defer { gate.held = [] }
            return gate.held
        }
        for continuation in held { continuation.resume() }
    }

    func head(of thread: ThreadID) async throws(StoreError) -> ThreadHead? {
        try await store.head(of: thread)
    }

    func sends(_ queries: [SendQuery]) async throws(StoreError) -> [StoredSend?] {
        await withCheckedContinuation { continuation in
            let isOpen = gate.withLock { gate in
                if !gate.isOpen { gate.held.append(continuation) }
                return gate.isOpen
            }
            if isOpen { continuation.resume() }
        }
        return try await store.sends(queries)
    }
}
