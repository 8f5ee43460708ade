import Logging
import ParleyChannels
import ParleyConcurrency
import ParleyModel
import ParleyRedisClient
import Synchronization

/// Checks the threads of a Redis incarnation against the store, before they get events or are read.
///
/// - **Host**: the first node that meets an incarnation compares the checkpoints in the store with the ingest streams,
///   and the progress noted there with the progress of the host (`HostProgress`). It records in Redis whether events
///   are lost, before a persister stores anything else.
/// - **Thread**: a thread is checked once per incarnation, when it is first used, together with all others that are
///   waiting: one query of the store and a few scripts for 512 threads.
/// - **Store unavailable**: an append waits for `checkLimit`, then its thread begins a new epoch unchecked; a reader
///   gets the state in Redis.
///
/// Callable from anywhere. Bounded by the waiting appends and by `waitingReaders`.
final class ThreadChecks: Sendable {
    enum Purpose: Sendable {
        case append
        case read
    }

    /// The result of checking a host.
    enum Finding: String, Sendable {
        /// It has everything that the store shows it must have.
        case kept
        /// It has lost events, stored ones or others.
        case lost
    }

    private struct State {
        /// The findings of this node, with the mark of the incarnation, by host.
        var findings: [Int: (mark: String, finding: Finding)] = [:]
        /// The time until which appends do not wait for the store, which has not answered in time.
        var storeIsAwayUntil: ContinuousClock.Instant?
        /// The time until which readers do not wait either: a store that hangs would hold up each batch of them.
        var storeHangsUntil: ContinuousClock.Instant?
    }

    /// The maximum number of threads in one query of the store.
    static let batchSize = 512
    /// The maximum number of threads in one script: Redis does nothing else while it runs.
    private static let threadsAtOnce = 64
    private static let waitingReaders = 100_000
    /// The delay of a further attempt while the store is unavailable.
    private static let retryDelay = Duration.milliseconds(100)
    /// The time for which the store counts as unavailable after it has not answered in time.
    private static let awayTime = Duration.seconds(1)

    private let hosts: RedisHosts
    private let history: any LogHistory
    private let logger: Logger
    private let state = Mutex(State())
    /// The checks for readers, by host.
    private let readers: Mutex<[Int: BatchLoader<ThreadID, Bool, AppendError>]> = Mutex([:])

    init(hosts: RedisHosts, history: any LogHistory, logger: Logger) {
        self.hosts = hosts
        self.history = history
        self.logger = logger
    }

    /// Checks a thread before it is read, together with others.
    /// - Returns: `false` if the store is unavailable, so that nothing is known.
    func checkForReading(_ thread: ThreadID) async throws(AppendError) -> Bool {
        try await loader(of: hosts.layout.host(of: thread)).find(thread) ?? false
    }

    private func loader(of host: Int) -> BatchLoader<ThreadID, Bool, AppendError> {
        readers.withLock { readers in
            if let loader = readers[host] { return loader }
            let settings = BatchLoader<ThreadID, Bool, AppendError>.Settings(
                batchSize: Self.batchSize, tick: 0, maximumWaiting: Self.waitingReaders,
                overflow: .unavailable("too many threads are waiting for a check"))
            let loader = BatchLoader<ThreadID, Bool, AppendError>(
                settings, memory: TTLCache(lifetime: 0, capacity: 0), milliseconds: { 0 }, pause: { _ in }
            ) { [weak self] threads throws(AppendError) in
                let isDone = try await self?.check(threads, on: host, for: .read) != nil
                return Dictionary(uniqueKeysWithValues: threads.map { ($0, isDone) })
            }
            readers[host] = loader
            return loader
        }
    }

    /// Checks threads of one host, at most `batchSize`.
    /// - Returns: the heads of the threads that Redis has; `nil` for a reader while the store is unavailable.
    /// - Throws: `unavailable` if Redis is, or if the task is cancelled.
    func check(
        _ threads: [ThreadID], on host: Int, for purpose: Purpose
    ) async throws(AppendError) -> [ThreadID: PackedHead]? {
        let incarnation = try await incarnation(of: host)
        let stored = try await stored(threads, host, incarnation, for: purpose)
        if stored == nil {
            guard purpose == .append else { return nil }
            // A query that was cancelled looks like a database that does not answer.
            guard !Task.isCancelled else { throw .unavailable("the check was cancelled") }
            logger.warning(
                "threads begin new epochs: Redis was replaced or restarted, and the database cannot be asked",
                metadata: ["threads": "\(threads.count)"])
        }
        let found =
            switch (stored?.finding ?? .lost, purpose) {
            case (.kept, _): "kept"
            case (.lost, .append): "lost"
            case (.lost, .read): "read"
            }
        var heads: [ThreadID: PackedHead] = [:]
        var rest = threads[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.threadsAtOnce)
            rest = rest.dropFirst(part.count)
            let command = command(Array(part), stored?.heads ?? [:], incarnation, found)
            guard let replies = try await send(command, host, incarnation).elements, replies.count == part.count else {
                throw .unavailable("unexpected reply to a check of threads")
            }
            for (thread, reply) in zip(part, replies) { heads[thread] = reply.bytes.flatMap { PackedHead($0) } }
        }
        return heads
    }

    private func command(
        _ threads: [ThreadID], _ stored: [ThreadID: ThreadHead], _ incarnation: ServerIncarnation, _ found: String
    ) -> RESPCommand {
        let names = hosts.layout.names
        var generator = SystemRandomNumberGenerator()
        var command = RedisScripts.check.command(
            keys: threads.flatMap { [names.head(of: $0), names.log(of: $0), names.formerEpochs(of: $0)] },
            arguments: 4 + 7 * threads.count, capacity: 512 * threads.count)
        command.append(incarnation.mark)
        command.append(incarnation.readMark)
        command.append(found)
        command.append(hosts.settings.log.doubtMilliseconds)
        for thread in threads {
            let (head, seen) = (stored[thread], hosts.seen[thread])
            command.append(Epoch.make(using: &generator).text)
            command.append(head?.position.epoch.text ?? "")
            command.append(head?.position.seq ?? 0)
            command.append(head?.messageCount ?? 0)
            command.append(head?.milliseconds ?? 0)
            command.append(seen?.epoch.text ?? "")
            command.append(seen?.seq ?? 0)
        }
        return command
    }

    // MARK: Store

    private struct Stored: Sendable {
        var finding: Finding
        var heads: [ThreadID: ThreadHead]
    }

    /// Returns the state of threads in the store; `nil` if it does not answer in time.
    private func stored(
        _ threads: [ThreadID], _ host: Int, _ incarnation: ServerIncarnation, for purpose: Purpose
    ) async throws(AppendError) -> Stored? {
        let history = history
        guard let finding = try await finding(host, incarnation, for: purpose),
            let heads = await ask(for: purpose, { try await history.heads(of: threads) })
        else { return nil }
        return Stored(finding: finding, heads: heads)
    }

    /// Queries the store; for an append repeatedly, for `checkLimit`.
    /// - Returns: `nil` if it fails or does not answer in time.
    private func ask<Value: Sendable>(
        for purpose: Purpose, _ query: @escaping @Sendable () async throws -> Value
    ) async -> Value? {
        let start = ContinuousClock.now
        let away = state.withLock { purpose == .append ? $0.storeIsAwayUntil : $0.storeHangsUntil }
        if let away, away > start { return nil }
        let (results, result) = AsyncStream.makeStream(of: Value?.self, bufferingPolicy: .bufferingOldest(1))
        let work = Task {
            while !Task.isCancelled {
                if let value = try? await query() {
                    result.yield(value)
                    return
                }
                // A reader does not wait: it gets the state in Redis.
                if purpose == .read { break }
                try? await Task.sleep(for: Self.retryDelay)
            }
            result.yield(nil)
        }
        // Ends the wait even if a query hangs.
        let timer = Task { [limit = hosts.settings.log.checkLimit] in
            try? await Task.sleep(for: limit)
            result.yield(nil)
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        for await value in results {
            let now = ContinuousClock.now
            let away = value == nil ? now + Self.awayTime : nil
            let isLate = now - start >= hosts.settings.log.checkLimit
            state.withLock { state in
                if value != nil || purpose == .append { state.storeIsAwayUntil = away }
                if value != nil || purpose == .read && isLate { state.storeHangsUntil = away }
            }
            return value
        }
        return nil
    }

    // MARK: Hosts

    /// Makes sure that it is recorded whether a host has lost events before its present incarnation.
    /// - Throws: `unavailable` if it cannot be determined now.
    func settle(_ host: Int) async throws(AppendError) {
        guard hosts.commands.indices.contains(host) else { return }
        if let known = hosts.commands[host].knownIncarnation,
            state.withLock({ $0.findings[host]?.mark }) == known.mark
        {
            return
        }
        let finding = try await finding(host, try await incarnation(of: host), for: .read)
        if finding == nil { throw .unavailable("the database cannot be asked what Redis has lost") }
    }

    /// Raises the progress of a host, once it is recorded whether the host has lost events.
    func advance(_ host: Int) async throws(AppendError) -> Int64 {
        try await settle(host)
        guard let incarnation = hosts.commands[host].knownIncarnation else { throw .unavailable("not connected") }
        let names = hosts.layout.names
        var command = RedisScripts.advance.command(keys: [names.incarnationMark, names.progress], arguments: 1)
        command.append(incarnation.mark)
        if let progress = try await send(command, host, incarnation).number { return progress }
        // The record is gone, and everything else with it. The next attempt determines the loss first.
        state.withLock { $0.findings[host] = nil }
        throw .unavailable("Redis has lost its data")
    }

    /// - Returns: `nil` if it is not known and the store does not answer.
    private func finding(
        _ host: Int, _ incarnation: ServerIncarnation, for purpose: Purpose
    ) async throws(AppendError) -> Finding? {
        if let known = state.withLock({ $0.findings[host] }), known.mark == incarnation.mark { return known.finding }
        var finding = try await record(nil, host, incarnation)
        if finding == nil {
            guard let stored = await storedState(of: host, for: purpose) else { return nil }
            let lost = try await lostStreams(stored.checkpoints, host, incarnation)
            finding = try await record((lost.isEmpty ? .kept : .lost, stored.progress), host, incarnation)
            // Acknowledge the loss only now: if the node ends before this, the loss must be found again.
            try await acknowledge(lost, host, incarnation)
        }
        guard let finding else { throw .unavailable("unexpected reply to the check of a host") }
        state.withLock { $0.findings[host] = (incarnation.mark, finding) }
        if finding == .lost {
            logger.warning(
                "Redis has lost events: its threads begin new epochs",
                metadata: ["redis": "\(hosts.settings.addresses[host])"])
        }
        return finding
    }

    /// - Parameter found: the evidence of the streams, and the noted progress, which may show more; `nil` to read only.
    private func record(
        _ found: (finding: Finding, progress: Int64)?, _ host: Int, _ incarnation: ServerIncarnation
    ) async throws(AppendError) -> Finding? {
        let names = hosts.layout.names
        var command = RedisScripts.settle.command(
            keys: [names.incarnationMark, names.claimMark, names.progress], arguments: found == nil ? 1 : 3)
        command.append(incarnation.mark)
        if let found {
            command.append(found.finding.rawValue)
            command.append(found.progress)
        }
        return try await send(command, host, incarnation).text.flatMap { Finding(rawValue: $0) }
    }

    /// Returns the checkpoints and the noted progress of a host; `nil` if the store does not answer.
    private func storedState(
        of host: Int, for purpose: Purpose
    ) async -> (checkpoints: [Partition: IngestCheckpoint], progress: Int64)? {
        let layout = hosts.layout
        let (history, partitions) = (history, layout.partitions.filter { layout.place(of: $0).host == host })
        return await ask(for: purpose) {
            (try await history.checkpoints(of: partitions), try await history.progress(ofHost: host))
        }
    }

    /// Compares the ingest streams of a host with their checkpoints.
    /// - Returns: the keys of the streams that have lost stored entries, with the id of the last one.
    private func lostStreams(
        _ checkpoints: [Partition: IngestCheckpoint], _ host: Int, _ incarnation: ServerIncarnation
    ) async throws(AppendError) -> [(key: String, last: String)] {
        let (layout, names) = (hosts.layout, hosts.layout.names)
        let stored = checkpoints.map { ($0, $1) }
        guard !stored.isEmpty else { return [] }
        let keys = stored.map { partition, _ in names.ingest(layout.place(of: partition).number) }
        var command = RedisScripts.evidence.command(keys: keys, arguments: stored.count)
        for (_, checkpoint) in stored { command.append(checkpoint.offset) }
        guard let replies = try await send(command, host, incarnation).elements, replies.count == stored.count else {
            throw .unavailable("unexpected reply to the check of a host")
        }
        var lost: [(key: String, last: String)] = []
        for (index, reply) in replies.enumerated() {
            let (parts, checkpoint) = (reply.elements ?? [], stored[index].1)
            let evidence = LossEvidence(unstored: parts.first?.text, hasLastStored: parts.last?.number == 1)
            if evidence.showsLoss(of: checkpoint) { lost.append((keys[index], checkpoint.offset)) }
        }
        return lost
    }

    private func acknowledge(
        _ streams: [(key: String, last: String)], _ host: Int, _ incarnation: ServerIncarnation
    ) async throws(AppendError) {
        let known = streams.compactMap { key, last in EntryID(last).map { (key, $0.next) } }
        guard !known.isEmpty else { return }
        var command = RedisScripts.acknowledge.command(keys: known.map(\.0), arguments: known.count)
        for (_, id) in known { command.append(id) }
        _ = try await send(command, host, incarnation)
    }

    // MARK: Redis

    /// Asks the host again: other nodes may have connected since its replication id changed.
    private func incarnation(of host: Int) async throws(AppendError) -> ServerIncarnation {
        do throws(RedisError) {
            return try await hosts.commands[host].incarnation()
        } catch {
            throw .unavailable("\(error)")
        }
    }

    private func send(
        _ command: RESPCommand, _ host: Int, _ incarnation: ServerIncarnation
    ) async throws(AppendError) -> RESPValue {
        do throws(RedisError) {
            return try await hosts.commands[host].send(command, server: incarnation.server)
        } catch {
            throw .unavailable("\(error)")
        }
    }
}
