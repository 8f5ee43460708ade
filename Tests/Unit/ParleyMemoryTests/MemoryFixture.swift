import ParleyMemory
import ParleyModel
import ParleyTestContracts
import Testing

/// A memory log with its broker, for the contract tests.
struct MemoryFixture: LogFixture {
    let settings: MemoryLogSettings
    let store = NaiveStore()
    let testClock = TestClock()
    let broker = MemoryBroker()
    let log: MemoryLog

    init(_ variant: Variant) {
        var settings = MemoryLogSettings(acceptance: variant.acceptance)
        settings.partitions = variant.partitions
        settings.windowEvents = 50
        self.settings = settings
        log = MemoryLog(bus: broker, history: store, clock: testClock.wall, settings: settings)
    }

    var ingest: any IngestStream { log }
    var sends: any SendMemory { log }
    var clock: TestClock? { testClock }
    var keepsStoredEpoch: Bool { settings.acceptance == .whenStored }
    var windowEvents: Int { settings.windowEvents }

    func makeNode() async throws -> LogNode {
        LogNode(log: log, bus: broker.makeBus())
    }

    func run() async {
        await log.run()
    }

    func injectUnreadable(_ bytes: [UInt8], into partition: Partition) async throws {
        Issue.record("a memory log holds events, not bytes")
    }
}

/// A configuration of the memory log.
struct Variant: Hashable, Sendable, CustomTestStringConvertible {
    let acceptance: MemoryLogSettings.Acceptance
    let partitions: Int

    static let all = [
        Variant(acceptance: .immediately, partitions: 1), Variant(acceptance: .immediately, partitions: 4),
        Variant(acceptance: .whenStored, partitions: 1), Variant(acceptance: .whenStored, partitions: 4),
    ]

    var testDescription: String { "\(acceptance), \(partitions) partitions" }
}

/// Presence registries in memory.
struct MemoryPresenceFixture: PresenceFixture {
    let broker = MemoryBroker()
    let shared: MemoryPresence

    init() {
        shared = MemoryPresence(broker: broker)
    }

    func makeNode() async throws -> PresenceNode {
        let presenceRegistry = CrashablePresenceRegistry(shared.makeRegistry())
        return PresenceNode(presenceRegistry: presenceRegistry, bus: broker.makeBus()) { presenceRegistry.crash() }
    }

    func stop() async {}
}
