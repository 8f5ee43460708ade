package import ParleyModel

/// One node: its way into the log, and its end of the bus.
package struct LogNode: Sendable {
    package let log: any MessageLog
    package let bus: any ThreadBus
    /// What the bus has delivered to this node.
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

/// A log with its bus and ingest stream, empty, to be held to the contracts. Each fact gets one of its own.
package protocol LogFixture: Sendable {
    /// A further node over the one log.
    func makeNode() async throws -> LogNode

    var ingest: any IngestStream { get }

    /// What the log asks about threads and sends that it does not remember.
    var store: NaiveStore { get }

    /// The clock that dates events; `nil` if it cannot be set.
    var clock: TestClock? { get }

    /// An unknown thread that the store has goes on in its stored epoch (no event can have been lost), and not in a
    /// new one.
    var keepsStoredEpoch: Bool { get }

    /// A name that a send of another thread has had is held by more than what that thread leaves behind.
    var claimsNames: Bool { get }

    /// How many events of a thread the log keeps.
    var windowEvents: Int { get }

    /// Runs what the log needs, until the task is cancelled.
    func run() async

    /// Puts something that is no event into a partition of the ingest stream.
    func injectUnreadable(_ bytes: [UInt8], into partition: Partition) async throws
}

extension LogFixture {
    package var claimsNames: Bool { false }

    /// Runs `body` while the log runs, and while a simple persister stores what it takes in, if wanted.
    package func whileRunning(storing: Bool, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.run() }
            if storing {
                for partition in ingest.partitions {
                    group.addTask { await self.storeAll(of: partition) }
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

    /// The plainest persister that there can be; ends when the task is cancelled.
    private func storeAll(of partition: Partition) async {
        var checkpoint: IngestCheckpoint?
        while let batch = try? await ingest.read(partition, after: checkpoint, limit: 100), !batch.entries.isEmpty {
            guard let outcomes = try? await store.write(batch) else { return }
            await ingest.stored(batch, outcomes: outcomes)
            checkpoint = batch.checkpoint
        }
    }
}

/// How the body of `whileRunning` says that it is through.
private struct FactHolds: Error {}
