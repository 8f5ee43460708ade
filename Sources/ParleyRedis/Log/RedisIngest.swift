package import ParleyModel

/// The ingest streams: 64 on each host.
///
/// An offset is the id that Redis gave the entry. The incarnation is a random text beside the stream, made by the first
/// who reads it; it goes with the stream when Redis loses its memory.
package final class RedisIngest: IngestStream {
    package let partitions: [Partition]

    private let hosts: RedisHosts
    private let codec: ChannelsCodec
    private let waits: [IngestWaits]

    private var names: ChannelNames { hosts.layout.names }

    package init(hosts: RedisHosts) {
        self.hosts = hosts
        codec = ChannelsCodec(hosts.settings.channels)
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
        var generator = SystemRandomNumberGenerator()
        var command = RedisScript.ingest.command(keys: [names.ingest(number), names.incarnation(number)], arguments: 4)
        command.append(Epoch.make(using: &generator).text + Epoch.make(using: &generator).text)
        command.append(checkpoint?.incarnation ?? "")
        command.append(checkpoint?.offset ?? "0")
        command.append(limit)
        let answer = try await send(command, host)
        guard let parts = answer.elements, parts.count == 2, let incarnation = parts[0].text,
            let entries = parts[1].elements
        else { throw .unavailable("unexpected answer") }
        return IngestBatch(
            partition: partition, incarnation: incarnation,
            entries: entries.compactMap { StreamEntry($0).map(entry) })
    }

    private func entry(_ entry: StreamEntry) -> IngestBatch.Entry {
        if let value = entry.payload.flatMap({ try? codec.decodeEvent($0) }) {
            if let event = EventPayload.event(value) { return .init(offset: entry.id, content: .event(event)) }
            if let mark = SignalPayload.readMark(value) { return .init(offset: entry.id, content: .readMark(mark)) }
        }
        let bytes = entry.payload ?? entry.fields.flatMap { $0.bytes ?? [] }
        return .init(offset: entry.id, content: .unreadable(reason: "not an event", bytes: bytes))
    }

    package func backlog(of partition: Partition) async throws(AppendError) -> Int {
        let (host, number) = hosts.layout.place(of: partition)
        let answer = try await send(RESPCommand("XLEN", names.ingest(number)), host)
        return Int(answer.number ?? 0)
    }

    /// Trims the stream; if Redis is away, the report of the next batch covers this one. An event that the store moved
    /// to a higher seq raises its thread's head, so that no later one gets that number.
    package func stored(_ batch: IngestBatch, outcomes: [StoreOutcome]) async {
        let (host, number) = hosts.layout.place(of: batch.partition)
        for (entry, outcome) in zip(batch.entries, outcomes) {
            guard case .stored(let seq) = outcome, case .event(let event) = entry.content, seq > event.position.seq
            else { continue }
            var command = RedisScript.raise.command(keys: [names.head(of: event.thread)], arguments: 1)
            command.append(seq)
            _ = try? await send(command, host)
        }
        guard let last = batch.entries.last,
            let next = StreamEntry(.array([.bulk(Array(last.offset.utf8)), .array([])]))?.next
        else { return }
        var command = RedisScript.trim.command(keys: [names.ingest(number), names.incarnation(number)], arguments: 2)
        command.append(batch.incarnation)
        command.append(next)
        _ = try? await send(command, host)
    }

    private func send(_ command: RESPCommand, _ host: Int) async throws(AppendError) -> RESPValue {
        guard hosts.commands.indices.contains(host) else { throw .unavailable("there is no such partition") }
        do throws(RedisError) {
            return try await hosts.commands[host].send(command)
        } catch {
            throw .unavailable("\(error)")
        }
    }
}
