import Logging
import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleyPersister
import ServiceLifecycle

/// Log and bus of a single process. A send is accepted only after the store has committed it, so a crash loses no event
/// that a client has seen.
struct MemoryBackend: LogBackend {
    private let memory: MemoryLog
    private let marks: ReadMarkWriter
    let bus: any ThreadBus
    let tickets: any TicketStore
    let rates: any RateStore
    let presence: any PresenceRegistry
    let guestNames: any GuestNames = MemoryGuestNames()
    let traces: any TraceStore = MemoryTraceStore()
    let nodes: any NodeRegistry
    let adoptedNames: (any AdoptedNames)? = nil
    let isShared = false
    let clocks: [ClockWatch.Peer] = []

    init(store: any Database, clock: WallClock, logger: Logger) {
        let broker = MemoryBroker()
        bus = broker.makeBus()
        var settings = MemoryLogSettings(acceptance: .whenStored)
        settings.refusesUnstored = store.failsWhole
        memory = MemoryLog(bus: broker, history: store, clock: clock, settings: settings)
        marks = ReadMarkWriter(store: store, logger: logger)
        tickets = MemoryTicketStore(clock: clock)
        rates = MemoryRateStore(clock: clock)
        presence = MemoryPresence(broker: broker, clock: clock).makeRegistry()
        nodes = MemoryNodes(clock: clock).makeRegistry()
    }

    var log: any MessageLog { memory }
    var sends: any SendMemory { memory }
    var stream: any IngestStream { memory }
    var readMarks: any ReadMarks { marks }
    var services: [any Service] { [marks, BackendService { await memory.run() }] }

    func start(subscribes: Bool) async throws {}
    func problems() async -> [String] { [] }
    func stop() async {}
}
