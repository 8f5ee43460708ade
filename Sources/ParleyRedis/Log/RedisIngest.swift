package import ParleyModel
import Synchronization

/// The ingest streams: 64 on each host.
///
/// Offsets are the entry ids assigned by Redis. The incarnation combines a random text stored beside the stream,
/// created by its first reader and lost with the stream, with the id of the Redis process. A restarted Redis, or a
/// replica that took over, may have lost the newest entries and assign ids below those already read, so its stream
/// counts as another and is read from its beginning. That is little: stored entries have been removed, and the store
/// recognises the rest.
package final class RedisIngest: IngestStream {
    package let partitions: [Partition]

    private let hosts: RedisHosts
    private let codec: EventCodec
    private let waits: [IngestWaits]
    /// The checkpoints of partitions found empty when everything up to there was stored. Their reader waits without
    /// another look.
    private let emptied = Mutex<[Partition: IngestCheckpoint]>([:])

    private var names: ChannelNames { hosts.layout.names }

    package init(hosts: RedisHosts) {
        self.hosts = hosts
        codec = EventCodec(hosts.settings.channels)
        partitions = hosts.layout.partitions
        waits = hosts.commands.map {
            IngestWaits($0, hosts.layout.names, milliseconds: hosts.settings.log.pollMilliseconds)
        }
    }

    package func read(
        _ partition: Partition, after checkpoint: IngestCheckpoint?, limit: Int
    ) async throws -> IngestBatch {
        let (host, number) = hosts.layout.place(of: partition)
        guard hosts.commands.indices.contains(host) else {
            throw AppendError.unavailable("there is no such partition")
        }
        if let checkpoint, emptied.withLock({ $0.removeValue(forKey: partition) }) == checkpoint {
            try await waits[host].wait(for: number, after: checkpoint.offset)
        }
        while true {
            try Task.checkCancellation()
            let batch = try await readNow(partition, after: checkpoint, limit: max(1, limit))
            if !batch.entries.isEmpty { return batch }
            let isOurs = batch.incarnation == checkpoint?.incarnation
            try await waits[host].wait(for: number, after: isOurs ? checkpoint?.offset ?? "0" : "0")
        }
    }

    private func readNow(
        _ partition: Partition, after checkpoint: IngestCheckpoint?, limit: Int
    ) async throws(AppendError) -> IngestBatch {
        let (host, number) = hosts.layout.place(of: partition)
        let server = await hosts.commands[host].serverID()
        let known = checkpoint.flatMap { Incarnation($0.incarnation) }
        var generator = SystemRandomNumberGenerator()
        var command = RedisScripts.ingest.command(
            keys: [names.ingest(number), names.incarnation(number)], arguments: 4)
        command.append(Epoch.make(using: &generator).text + Epoch.make(using: &generator).text)
        command.append(known?.server == server ? known?.stream ?? "" : "")
        command.append(checkpoint?.offset ?? "0")
        command.append(limit)
        let reply = try await send(command, host, server: server)
        guard let parts = reply.elements, parts.count == 3, let stream = parts[0].text,
            let entries = parts[1].elements
        else { throw .unavailable("unexpected answer") }
        return IngestBatch(
            partition: partition, incarnation: Incarnation(stream: stream, server: server).text,
            entries: entries.compactMap { StreamEntry($0).map(entry) }, backlog: parts[2].number.map { Int($0) })
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

    /// The memory that Redis uses for a partition's stream, in bytes; 0 if there is none.
    package func backlogBytes(of partition: Partition) async throws(AppendError) -> Int? {
        let (host, number) = hosts.layout.place(of: partition)
        let reply = try await send(RESPCommand("MEMORY", "USAGE", names.ingest(number)), host)
        return Int(reply.number ?? 0)
    }

    /// Trims the stream. If Redis is unreachable, the report of the next batch covers this one. An event that the store
    /// moved to a higher seq raises its thread's head, so that the number is not assigned again.
    /// - Returns: the number of entries left; `nil` if it cannot be determined.
    @discardableResult
    package func stored(_ batch: IngestBatch, outcomes: [StoreOutcome]) async -> Int? {
        let (host, number) = hosts.layout.place(of: batch.partition)
        for (entry, outcome) in zip(batch.entries, outcomes) {
            guard case .stored(let seq) = outcome, case .event(let event) = entry.content, seq > event.position.seq
            else { continue }
            var command = RedisScripts.raise.command(keys: [names.head(of: event.thread)], arguments: 1)
            command.append(seq)
            _ = try? await send(command, host)
        }
        publishStored(batch, outcomes, host)
        guard let last = batch.entries.last, let incarnation = Incarnation(batch.incarnation),
            let next = StreamEntry(.array([.bulk(Array(last.offset.utf8)), .array([])]))?.next
        else { return nil }
        var command = RedisScripts.trim.command(keys: [names.ingest(number), names.incarnation(number)], arguments: 2)
        command.append(incarnation.stream)
        command.append(next)
        // Only the process that assigned these ids may treat them as known.
        let left = (try? await send(command, host, server: incarnation.server))?.number
        emptied.withLock { $0[batch.partition] = left == 0 ? batch.checkpoint : nil }
        return left.map { Int($0) }
    }

    /// Publishes `EphemeralEvent.stored` for the events that requested it, under the seq that their log assigned.
    private func publishStored(_ batch: IngestBatch, _ outcomes: [StoreOutcome], _ host: Int) {
        let codec = ChannelsCodec(hosts.settings.channels)
        for (entry, outcome) in zip(batch.entries, outcomes) {
            guard case .event(let event) = entry.content, event.wantsStored, outcome.isStored else { continue }
            let stored = SignalPayload.value(
                of: .stored(seq: event.position.seq, epoch: event.position.epoch))
            guard let payload = try? codec.encode(stored, seconds: WallClock.system.seconds) else { continue }
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
