package import ParleyModel
package import ParleyTestSupport

/// A node: its log and its bus.
package struct LogNode: Sendable {
    package let log: any MessageLog
    package let bus: any ThreadBus
    /// The signals that the bus has delivered to this node.
    package let received: Recorder<BusSignal>

    /// Attaches a recorder to the bus.
    package init(log: any MessageLog, bus: any ThreadBus) {
        self.log = log
        self.bus = bus
        let received = Recorder<BusSignal>()
        self.received = received
        bus.attach { received.record($0) }
    }
}

/// An empty log with its bus and ingest stream, for contract tests. Each fact gets a fixture of its own.
package protocol LogFixture: Sendable {
    /// Adds a node to the log.
    func makeNode() async throws -> LogNode

    var ingest: any IngestStream { get }

    /// What the log keeps of sends.
    var sends: any SendMemory { get }

    /// The store that the log queries for threads and sends it does not remember.
    var store: NaiveStore { get }

    /// The clock that dates events; `nil` if it cannot be set.
    var clock: TestClock? { get }

    /// Whether a stored thread unknown to the log continues in its stored epoch rather than in a new one, since no
    /// event can have been lost.
    var keepsStoredEpoch: Bool { get }

    /// Whether a `clientID` used in another thread stays reserved when that thread is deleted.
    var claimsNames: Bool { get }

    /// The number of events per thread that the log keeps.
    var windowEvents: Int { get }

    /// Runs the log's services until the task is cancelled.
    func run() async

    /// Puts bytes that are not an event into a partition of the ingest stream.
    func injectUnreadable(_ bytes: [UInt8], into partition: Partition) async throws
}

extension LogFixture {
    package var claimsNames: Bool { false }

    /// Runs `body` while the log runs and, if `storing`, a simple persister stores its entries.
    package func whileRunning(storing: Bool, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.run() }
            if storing {
                for partitions in ingest.groups {
                    group.addTask { await self.storeAll(of: partitions) }
                }
            }
            group.addTask {
                try await body()
                throw FactHolds()
            }
            defer { group.cancelAll() }
            do {
                while try await group.next() != nil {}
            } catch is FactHolds {}
        }
    }

    /// A minimal persister; ends when the task is cancelled.
    private func storeAll(of partitions: [Partition]) async {
        var positions = partitions.map { IngestPosition($0, after: nil) }
        while let batches = try? await ingest.read(positions, limit: 100), !batches.isEmpty {
            guard let outcomes = try? await store.write(batches) else { return }
            await ingest.stored(zip(batches, outcomes).map { StoredBatch($0, $1) })
            for batch in batches {
                guard let index = partitions.firstIndex(of: batch.partition) else { continue }
                positions[index].checkpoint = batch.checkpoint
            }
        }
    }
}

/// Thrown by the body of `whileRunning` on success.
private struct FactHolds: Error {}
