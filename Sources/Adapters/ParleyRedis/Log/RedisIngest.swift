import Logging
import ParleyChannels
package import ParleyModel
import ParleyRedisClient
import Synchronization

/// The ingest streams: 64 on each host.
///
/// Offsets are the entry ids assigned by Redis. The incarnation combines a random text stored beside the stream,
/// created by its first reader and lost with the stream, with the id of the Redis process. A restarted Redis, or a
/// replica that took over, may have lost the newest entries and assign ids below those already read, so its stream
/// counts as another and is read from its beginning. The same applies to a stream whose last entries were read by
/// another process, and to one with an epoch that could not be ended: commits may not have been reported. Little is
/// read twice: stored entries have been removed, and the store recognises the rest.
package final class RedisIngest: IngestStream {
    package let groups: [[Partition]]

    private let hosts: RedisHosts
    private let codec: EventCodec
    /// The time of the next read of each host; `nil` for at once.
    private let nextReads: Mutex<[ContinuousClock.Instant?]>
    private let wakers: [IngestWaker]
    private let hasEndedWaits = Atomic<Bool>(false)
    /// The partitions whose streams could not be read.
    private let failed = Mutex(Set<Partition>())
    /// The keys of each partition of a host.
    private let keys: [(ingest: String, incarnation: String, awaited: String)]
    /// The last entry of each partition that this process has read; `nil` if these entries must be read again.
    private let delivered = Mutex<[Partition: EntryID]>([:])
    private let lateCommits: LateCommits
    /// The incarnation given to streams that have none.
    private let fresh = Mutex(RedisIngest.makeIncarnation())

    /// The shortest time between two reads, so that empty streams are not read without pause.
    private static let shortestDelay = Duration.milliseconds(10)

    private var names: ChannelNames { hosts.layout.names }
    private var settings: RedisLogSettings { hosts.settings.log }

    package init(hosts: RedisHosts) {
        self.hosts = hosts
        lateCommits = LateCommits(hosts: hosts)
        codec = EventCodec(hosts.settings.channels)
        let layout = hosts.layout
        groups = Dictionary(grouping: layout.partitions) { layout.place(of: $0).host }
            .sorted { $0.key < $1.key }.map(\.value)
        keys = (0..<ChannelNames.partitionsPerHost).map { number in
            let ingest = layout.names.ingest(number)
            return (ingest, layout.names.incarnation(number), ingest + ChannelNames.awaitedSuffix)
        }
        nextReads = Mutex(Array(repeating: nil, count: hosts.commands.count))
        wakers = hosts.blocking.map { IngestWaker($0, logger: hosts.logger) }
    }

    /// Reads every `RedisLogSettings.storeDelay`, sooner if a sender waits for an entry to be stored, and at once while
    /// there is more than a read returns.
    package func read(_ positions: [IngestPosition], limit: Int) async throws -> [IngestBatch] {
        guard let host = positions.first.map({ hosts.layout.place(of: $0.partition).host }),
            hosts.commands.indices.contains(host),
            positions.allSatisfy({ hosts.layout.place(of: $0.partition).host == host })
        else { throw AppendError.unavailable("there are no such partitions on one host") }
        while true {
            try await waitUntilDue(positions, host)
            // Storing moves the checkpoints, which show whether Redis has lost anything.
            try await settle(host)
            try await lateCommits.settle(host)
            let server = await hosts.commands[host].serverID()
            let start = ContinuousClock.now
            let (batches, hasMore) = try await read(positions, limit: limit, host, server)
            nextReads.withLock { $0[host] = hasMore ? nil : start + max(settings.storeDelay, Self.shortestDelay) }
            if !batches.isEmpty { return batches }
            if hasEndedWaits.load(ordering: .relaxed) { throw CancellationError() }
        }
    }

    package func endWaits() {
        hasEndedWaits.store(true, ordering: .relaxed)
        for waker in wakers { waker.endWaits() }
    }

    /// Determines whether the host has lost events.
    private func settle(_ host: Int) async throws {
        guard let settle = hosts.settle.withLock({ $0 }) else { return }
        do {
            try await settle(host)
        } catch {
            // A check that was cancelled looks like a database that does not answer.
            try Task.checkCancellation()
            throw error
        }
    }

    private func waitUntilDue(_ positions: [IngestPosition], _ host: Int) async throws {
        try Task.checkCancellation()
        let nextRead = nextReads.withLock { $0[host] }
        guard let nextRead, nextRead > .now, !hasEndedWaits.load(ordering: .relaxed) else { return }
        let lists = positions.map { keys[hosts.layout.place(of: $0.partition).number].awaited }
        if await wakers[host].wait(for: lists, atMost: ContinuousClock.now.duration(to: nextRead)) {
            try await Task.sleep(until: min(nextRead, ContinuousClock.now + settings.awaitedStoreDelay))
        }
        try Task.checkCancellation()
    }

    private func read(
        _ positions: [IngestPosition], limit: Int, _ host: Int, _ server: String
    ) async throws(AppendError) -> (batches: [IngestBatch], hasMore: Bool) {
        let places = positions.map { keys[hosts.layout.place(of: $0.partition).number] }
        let fresh = fresh.withLock { $0 }
        let delivered = delivered.withLock { $0 }
        var command = RedisScripts.ingest.command(
            keys: places.flatMap { [$0.ingest, $0.incarnation] }, arguments: 2 + 2 * positions.count)
        command.append(fresh)
        command.append(max(1, limit))
        for position in positions {
            command.append(stream(position, after: delivered[position.partition], server) ?? "")
            command.append(position.checkpoint?.offset ?? "0")
        }
        let reply = try await send(command, host, server: server)
        guard let streams = reply.elements, streams.count == positions.count else {
            throw .unavailable("unexpected reply to the reading of the ingest streams")
        }
        var (batches, hasMore): ([IngestBatch], Bool) = ([], false)
        for (position, stream) in zip(positions, streams) {
            if isFailed(position.partition, stream) { continue }
            guard let parts = stream.elements, parts.count == 4, let text = parts[0].text,
                let entries = parts[1].elements
            else { throw .unavailable("unexpected reply to the reading of an ingest stream") }
            // The next reply needs a new text: a stream that is lost and starts over must not get the same one again.
            if text == fresh { self.fresh.withLock { if $0 == fresh { $0 = Self.makeIncarnation() } } }
            if parts[3].number == 1 { hasMore = true }
            guard !entries.isEmpty else { continue }
            if let last = entries.last.flatMap({ StreamEntry($0) }).flatMap({ EntryID($0.id) }) {
                self.delivered.withLock { $0[position.partition] = last }
            }
            batches.append(
                IngestBatch(
                    partition: position.partition, incarnation: Incarnation(stream: text, server: server).text,
                    entries: entries.compactMap { StreamEntry($0).map(entry) },
                    backlog: parts[2].number.map { Int($0) }))
        }
        return (batches, hasMore)
    }

    /// The incarnation of a stream that is read on after a position, within what this process has `delivered`; `nil` if
    /// it is read from its beginning.
    private func stream(_ position: IngestPosition, after delivered: EntryID?, _ server: String) -> String? {
        guard let checkpoint = position.checkpoint, let incarnation = Incarnation(checkpoint.incarnation),
            incarnation.server == server, let delivered, let offset = EntryID(checkpoint.offset), offset <= delivered
        else { return nil }
        return incarnation.stream
    }

    /// Logs the error of a stream once; it does not hold up the others, and is read again as they are.
    private func isFailed(_ partition: Partition, _ reply: RESPValue) -> Bool {
        guard let error = reply.text else {
            failed.withLock { _ = $0.remove(partition) }
            return false
        }
        if failed.withLock({ $0.insert(partition).inserted }) {
            hosts.logger.error(
                "failed to read an ingest stream: nothing of its partition is stored",
                metadata: ["partition": "\(partition.number)", "error": "\(error)"])
        }
        return true
    }

    private static func makeIncarnation() -> String {
        var generator = SystemRandomNumberGenerator()
        return Epoch.make(using: &generator).text + Epoch.make(using: &generator).text
    }

    private func entry(_ entry: StreamEntry) -> IngestBatch.Entry {
        switch entry.payload.flatMap({ try? codec.read($0) }) {
        case .event(let event): return .init(offset: entry.id, content: .event(event))
        case .other(let value):
            if let mark = SignalPayload.readMark(value) { return .init(offset: entry.id, content: .readMark(mark)) }
        case nil: break
        }
        let bytes = entry.payload ?? entry.fields.flatMap { $0.bytes ?? [] }
        return .init(offset: entry.id, content: .unreadable(reason: "not an event", bytes: bytes))
    }

    package func backlog(of partition: Partition) async throws(AppendError) -> Int {
        let (host, number) = hosts.layout.place(of: partition)
        let reply = try await send(RESPCommand("XLEN", names.ingest(number)), host)
        return Int(reply.number ?? 0)
    }

    /// Returns the memory that Redis uses for a partition's stream, in bytes; 0 if there is none.
    package func backlogBytes(of partition: Partition) async throws(AppendError) -> Int? {
        let (host, number) = hosts.layout.place(of: partition)
        let reply = try await send(RESPCommand("MEMORY", "USAGE", names.ingest(number)), host)
        return Int(reply.number ?? 0)
    }

    /// Trims the streams. If Redis is unreachable, the report of the next batch covers this one. An event that the
    /// store moved to a higher seq ends the epoch of its thread in Redis too; until that is done, the stream is not
    /// trimmed and its entries are read again, by this process or the next. A Redis that does not trim may not be the
    /// one from which the entries were read (`LateCommits`).
    /// - Returns: for each batch the number of entries left; `nil` if it cannot be determined.
    @discardableResult
    package func stored(_ batches: [StoredBatch]) async -> [Int?] {
        guard let host = batches.first.map({ hosts.layout.place(of: $0.batch.partition).host }) else { return [] }
        for stored in batches { publishStored(stored, host) }
        let server = await hosts.commands[host].serverID()
        var trims: [Trim] = []
        for (index, stored) in batches.enumerated() {
            let incarnation = Incarnation(stored.batch.incarnation)
            if incarnation?.server != server { lateCommits.note(stored, on: host) }
            guard await endEpochs(stored, host) else { continue }
            guard let last = stored.batch.entries.last, let incarnation,
                // Only the process that assigned these ids may treat them as known.
                incarnation.server == server,
                let next = EntryID(last.offset)?.next
            else { continue }
            let number = hosts.layout.place(of: stored.batch.partition).number
            trims.append(Trim(index: index, number: number, stream: incarnation.stream, next: next))
        }
        let left = await trim(trims, host, server, of: batches.count)
        for trim in trims where left[trim.index] == nil { lateCommits.note(batches[trim.index], on: host) }
        try? await lateCommits.settle(host)
        return left
    }

    private func trim(_ trims: [Trim], _ host: Int, _ server: String, of count: Int) async -> [Int?] {
        var left = [Int?](repeating: nil, count: count)
        guard !trims.isEmpty else { return left }
        var command = RedisScripts.trim.command(
            keys: trims.flatMap { [keys[$0.number].ingest, keys[$0.number].incarnation] }, arguments: 2 * trims.count)
        for trim in trims {
            command.append(trim.stream)
            command.append(trim.next)
        }
        let counts = (try? await send(command, host, server: server))?.elements ?? []
        for (trim, count) in zip(trims, counts) { left[trim.index] = count.number.map { Int($0) } }
        return left
    }

    /// A stream to be trimmed.
    private struct Trim {
        /// The place of its batch in the report.
        var index: Int
        /// The number of its partition on the host.
        var number: Int
        /// Its incarnation, without the server.
        var stream: String
        /// The first id to keep.
        var next: String
    }

    /// A move of events of an epoch by the store.
    private struct Move {
        /// The amount by which seqs were raised.
        var distance: Int64
        /// The lowest seq that was moved.
        var first: Int64
        /// The highest seq that a moved event got.
        var last: Int64
    }

    /// Ends the epochs in which the store has moved events, now or in an earlier write. A thread that Redis has in another
    /// epoch is checked when it is next used, if Redis is behind what is stored.
    /// - Returns: `false` if it failed, for these entries or for others of the same read: they are read again.
    private func endEpochs(_ stored: StoredBatch, _ host: Int) async -> Bool {
        guard delivered.withLock({ $0[stored.batch.partition] != nil }) else { return false }
        do throws(AppendError) {
            for (thread, epochs) in moves(stored) {
                for (epoch, move) in epochs where try await !end(epoch, of: thread, move, host) {
                    lateCommits.note(thread, upTo: move.last, on: host)
                }
            }
            try await lateCommits.settle(host)
            return true
        } catch {
            delivered.withLock { $0[stored.batch.partition] = nil }
            hosts.logger.error(
                "failed to end an epoch of which the store has moved events: it is tried again",
                metadata: ["partition": "\(stored.batch.partition.number)", "error": "\(error)"])
            return false
        }
    }

    private func moves(_ stored: StoredBatch) -> [ThreadID: [Epoch: Move]] {
        var moves: [ThreadID: [Epoch: Move]] = [:]
        for (entry, outcome) in zip(stored.batch.entries, stored.outcomes) {
            guard let seq = outcome.seq, case .event(let event) = entry.content, seq > event.position.seq
            else { continue }
            let (epoch, own) = (event.position.epoch, event.position.seq)
            let move = moves[event.thread]?[epoch] ?? Move(distance: 0, first: own, last: seq)
            moves[event.thread, default: [:]][epoch] = Move(
                distance: max(move.distance, seq - own), first: min(move.first, own), last: max(move.last, seq))
        }
        return moves
    }

    /// - Returns: Whether the thread was in this epoch. Otherwise it is in another one.
    private func end(
        _ epoch: Epoch, of thread: ThreadID, _ move: Move, _ host: Int
    ) async throws(AppendError) -> Bool {
        var command = RedisScripts.endEpoch.command(
            keys: [names.head(of: thread), names.formerEpochs(of: thread), names.log(of: thread)], arguments: 5)
        command.append(epoch.text)
        command.append(epoch.successor.text)
        command.append(move.distance)
        command.append(move.first - 1)
        command.append(settings.doubtMilliseconds)
        guard try await send(command, host).number == 1 else { return false }
        hosts.logger.warning(
            "an epoch has ended: events of a thread were stored above others that hold their seqs",
            metadata: ["thread": "\(thread)", "epoch": "\(epoch)"])
        return true
    }

    /// Publishes `EphemeralEvent.stored` for the events that requested it, under the seq that their log assigned.
    private func publishStored(_ stored: StoredBatch, _ host: Int) {
        let codec = ChannelsCodec(hosts.settings.channels)
        for (entry, outcome) in zip(stored.batch.entries, stored.outcomes) {
            guard case .event(let event) = entry.content, event.wantsStored, outcome.isStored else { continue }
            let signal = SignalPayload.value(
                of: .stored(seq: event.position.seq, epoch: event.position.epoch))
            guard let payload = try? codec.encode(signal, seconds: WallClock.system.seconds) else { continue }
            var command = RESPCommand(count: 3)
            command.append("PUBLISH")
            command.append(names.events(of: event.thread))
            command.append(payload)
            hosts.commands[host].send(command) { _ in }
        }
    }

    private func send(
        _ command: RESPCommand, _ host: Int, server: String? = nil
    ) async throws(AppendError) -> RESPValue {
        guard hosts.commands.indices.contains(host) else { throw .unavailable("there is no such partition") }
        do throws(RedisError) {
            return try await hosts.commands[host].send(command, server: server)
        } catch {
            throw .unavailable("\(error)")
        }
    }
}

/// The identity of a stream's content.
private struct Incarnation {
    var stream: String
    var server: String

    init(stream: String, server: String) {
        self.stream = stream
        self.server = server
    }

    init?(_ text: String) {
        guard let dot = text.lastIndex(of: ".") else { return nil }
        stream = String(text[..<dot])
        server = String(text[text.index(after: dot)...])
    }

    var text: String { "\(stream).\(server)" }
}
