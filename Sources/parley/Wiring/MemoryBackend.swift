import Logging
import ParleyMemory
import ParleyModel
import ParleyPersister
import ServiceLifecycle

/// Log and bus of one process: a send counts as accepted when the store has committed it, so a crash loses nothing that
/// anybody has seen.
struct MemoryBackend: LogBackend {
    private let memory: MemoryLog
    private let marks: ReadMarkWriter
    let bus: any ThreadBus
    let tickets: any TicketLedger
    let rates: any RateLedger
    let presence: any PresenceBoard
    let guestNames: any GuestNames = MemoryGuestNames()
    let traces: any TraceLedger = MemoryTraceLedger()
    let nodes: any NodeBoard
    let isShared = false

    init(store: any MessageStore, clock: WallClock, logger: Logger) {
        let broker = MemoryBroker()
        bus = broker.makeBus()
        memory = MemoryLog(
            bus: broker, history: store, clock: clock, settings: MemoryLogSettings(acceptance: .whenStored))
        marks = ReadMarkWriter(store: store, logger: logger)
        tickets = MemoryTicketLedger(clock: clock)
        rates = MemoryRateLedger(clock: clock)
        presence = MemoryPresence(broker: broker, clock: clock).makeBoard()
        nodes = MemoryNodes(clock: clock).makeBoard()
    }

    var log: any MessageLog { memory }
    var stream: any IngestStream { memory }
    var readMarks: any ReadMarks { marks }
    var services: [any Service] { [marks, BackendService { await memory.run() }] }

    func start(subscribes: Bool) async throws {}
    func troubles() async -> [String] { [] }
    func stop() async {}
}
