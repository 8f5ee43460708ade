import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Synchronization
import Testing

/// A Redis, a store, and every event that anyone was told of.
final class RollbackFixture: Sendable {
    /// How Redis loses what it got last.
    enum Loss: CaseIterable {
        /// Its machine fails, and its append-only file lacks the last second.
        case cutBack
        /// A replica that was behind is promoted.
        case laggingReplica
    }

    let server: RedisServer
    let replica: RedisServer?
    let history = SwitchedHistory()
    private let told = Mutex<[Position: MessageID]>([:])
    private let isLost = Mutex(false)

    init(_ loss: Loss = .cutBack) async throws {
        server = try await RedisServer.start(.init(keepsData: true))
        guard loss == .laggingReplica else {
            replica = nil
            return
        }
        let options = RedisServer.Options(
            keepsData: true, master: server, arguments: ["--repl-diskless-sync-delay", "0"])
        let replica = try await RedisServer.start(options)
        self.replica = replica
        let master = server
        #expect(
            try await eventually(within: .seconds(20)) {
                try await master.cli("INFO", "replication").contains("state=online")
            })
    }

    var store: NaiveStore { history.store }

    /// The state that Redis falls back to.
    func remember() async throws {
        guard let replica else { return try server.saveData() }
        let offset = try await server.cli("INFO", "replication").firstMatch(of: /master_repl_offset:(\d+)/)?.1
        let wanted = try #require(offset.flatMap { Int($0) })
        let isInStep = try await eventually {
            let text = try await replica.cli("INFO", "replication")
            return text.firstMatch(of: /slave_repl_offset:(\d+)/).flatMap { Int($0.1) } ?? 0 >= wanted
        }
        #expect(isInStep)
        try await replica.cli("REPLICAOF", "NO", "ONE")
    }

    func lose() async throws {
        isLost.withLock { $0 = true }
        guard replica == nil else { return try await server.kill() }
        try await server.loseData()
        try await server.restart()
    }

    /// A node that remembers nothing.
    private func node(_ checkLimit: Duration) async throws -> RedisNode {
        let current = isLost.withLock { $0 } ? replica ?? server : server
        var settings = RedisSettings(addresses: [try RedisAddress(current.url)])
        settings.log.storeDelay = .milliseconds(10)
        settings.log.checkLimit = checkLimit
        settings.log.progressDelay = .milliseconds(20)
        return try await RedisNode.start(settings, history: history)
    }

    /// Runs a node of its own for `body`.
    func run<Value: Sendable>(
        checkLimit: Duration = .seconds(10), _ body: @Sendable (RedisNode) async throws -> Value
    ) async throws -> Value {
        let node = try await node(checkLimit)
        let running = Task { await node.log.run() }
        let result: Result<Value, any Error>
        do { result = .success(try await body(node)) } catch { result = .failure(error) }
        running.cancel()
        await running.value
        await node.stop()
        return try result.get()
    }

    @discardableResult
    func send(_ text: String, in thread: ThreadID, _ node: RedisNode) async throws -> Receipt {
        let receipt = try await node.log.append(Samples.send(text, in: thread, clientID: "\(thread) \(text)"))
        note(receipt.position, receipt.messageID, in: thread)
        return receipt
    }

    /// Sends until the connection is back.
    func sendWhenConnected(_ text: String, in thread: ThreadID, _ node: RedisNode) async throws -> Receipt {
        var receipt: Receipt?
        _ = try await eventually {
            do { receipt = try await send(text, in: thread, node) } catch AppendError.unavailable(_) {}
            return receipt != nil
        }
        return try #require(receipt, "no connection to Redis")
    }

    func note(_ position: Position, _ message: MessageID?, in thread: ThreadID) {
        guard let message else { return }
        // Epochs are unique over threads.
        let known = told.withLock { told in
            defer { told[position] = message }
            return told[position]
        }
        #expect(known == nil || known == message, "\(position) of \(thread) has two meanings")
    }

    /// Waits for a note that begins after what was appended before this.
    func noted(_ node: RedisNode) async throws {
        let before = try await store.progress(ofHost: 0)
        let isNoted = try await eventually {
            _ = try await node.log.append(Samples.send("more", in: Samples.thread("marks")))
            // One may be under way.
            return try await self.store.progress(ofHost: 0) >= before + 2
        }
        #expect(isNoted)
    }

    /// Stores what is in the streams until `thread` is stored up to `seq`.
    func persist(_ thread: ThreadID, through seq: Int64, _ node: RedisNode) async throws {
        while try await store.head(of: thread)?.position.seq ?? 0 < seq {
            await node.ingest.stored(try await commit(node))
        }
    }

    /// Stores what is in the streams, without a report to Redis.
    func commit(_ node: RedisNode) async throws -> [StoredBatch] {
        let batches = try await read(node)
        return zip(batches, try await store.write(batches)).map { StoredBatch($0, $1) }
    }

    /// Reads what is in the streams and not stored.
    func read(_ node: RedisNode) async throws -> [IngestBatch] {
        let partitions = try #require(node.ingest.groups.first)
        let known = try await store.checkpoints(of: partitions)
        while true {
            do {
                return try await node.ingest.read(
                    partitions.map { IngestPosition($0, after: known[$0]) }, limit: 10_000)
            } catch AppendError.unavailable(_) {
                // On a busy machine a store that is back may not answer within a short limit.
            }
        }
    }

    /// The texts of a thread as sockets read them: from the log, and below it from the store.
    func texts(of thread: ThreadID, _ node: RedisNode) async throws -> [String] {
        let slice = try await node.log.events(in: thread, after: 0, limit: 1000)
        let first = slice.events.first?.position.seq ?? slice.end + 1
        let stored = store.log(of: thread).filter { $0.position.seq < first }
        let all = stored + slice.events
        for event in all + store.log(of: thread) { note(event.position, event.message?.id, in: thread) }
        return all.compactMap { $0.message?.text }
    }
}

/// A store that can be unavailable, and counts the queries for heads.
final class SwitchedHistory: LogHistory {
    let store = NaiveStore()
    let isAway = Atomic(false)
    private let count = Atomic(0)

    var queries: Int { count.load(ordering: .relaxed) }

    private func check() throws(StoreError) {
        if isAway.load(ordering: .relaxed) { throw .unavailable("away") }
    }

    func head(of thread: ThreadID) async throws(StoreError) -> ThreadHead? {
        try check()
        return try await store.head(of: thread)
    }

    func heads(of threads: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadHead] {
        try check()
        count.wrappingAdd(1, ordering: .relaxed)
        return try await store.heads(of: threads)
    }

    func checkpoints(of partitions: [Partition]) async throws(StoreError) -> [Partition: IngestCheckpoint] {
        try check()
        return try await store.checkpoints(of: partitions)
    }

    func note(progress: Int64, ofHost host: Int) async throws(StoreError) {
        try check()
        try await store.note(progress: progress, ofHost: host)
    }

    func progress(ofHost host: Int) async throws(StoreError) -> Int64 {
        try check()
        return try await store.progress(ofHost: host)
    }

    func sends(_ queries: [SendQuery]) async throws(StoreError) -> [StoredSend?] {
        try check()
        return try await store.sends(queries)
    }
}
