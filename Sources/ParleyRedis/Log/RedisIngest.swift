package import ParleyModel
import Synchronization

/// The ingest streams: 64 on each host.
///
/// An offset is the id that Redis gave the entry. The incarnation is a random text beside the stream, made by the first
/// who reads it, which goes with the stream when Redis loses its memory; and the id of Redis' process. A Redis that was
/// started again, or a replica that took over, may have forgotten the newest entries and give new ones ids that are
/// lower than what was read before: so the stream counts as another, and is read from where it begins. That is little,
/// for what is stored is gone from it, and the store knows it again.
package final class RedisIngest: IngestStream {
    package let partitions: [Partition]

    private let hosts: RedisHosts
    private let codec: EventCodec
    private let waits: [IngestWaits]
    /// Partitions that were found empty when all up to there had been stored. Their reader need not look before it waits.
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

    package func backlogBytes(of partition: Partition) async throws(AppendError) -> Int? {
        let (host, number) = hosts.layout.place(of: partition)
        let reply = try await send(RESPCommand("MEMORY", "USAGE", names.ingest(number)), host)
        return Int(reply.number ?? 0)
    }

    /// Trims the stream; if Redis is away, the report of the next batch covers this one. An event that the store moved
    /// to a higher seq raises its thread's head, so that no later one gets that number.
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
        tellNodes(batch, outcomes, host)
        guard let last = batch.entries.last, let incarnation = Incarnation(batch.incarnation),
            let next = StreamEntry(.array([.bulk(Array(last.offset.utf8)), .array([])]))?.next
        else { return nil }
        var command = RedisScripts.trim.command(keys: [names.ingest(number), names.incarnation(number)], arguments: 2)
        command.append(incarnation.stream)
        command.append(next)
        // Nobody but the process that gave these ids may take them for known.
        let left = (try? await send(command, host, server: incarnation.server))?.number
        emptied.withLock { $0[batch.partition] = left == 0 ? batch.checkpoint : nil }
        return left.map { Int($0) }
    }

    /// Publishes `EphemeralEvent.stored` for the events that asked for it, under the seq that their log gave them.
    private func tellNodes(_ batch: IngestBatch, _ outcomes: [StoreOutcome], _ host: Int) {
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

/// What tells one content of a stream from the next.
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
