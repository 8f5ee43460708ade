import ParleyGateway
import ParleyMemory
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("What the bus brings is counted")
struct EventTapTests {
    private let one = ThreadID(trusted: "one")
    private let two = ThreadID(trusted: "two")

    @Test("events by thread, and the threads that are subscribed to; all else passes as it is")
    func turn() async throws {
        let broker = MemoryBroker()
        let (bus, other) = (broker.makeBus(), broker.makeBus())
        let tap = EventTap(bus)
        let received = Recorder<BusSignal>()
        tap.attach { received.record($0) }
        let ann = UserID(trusted: "ann")
        tap.subscribe(to: [.thread(one), .thread(two), .user(ann)]) { _ in }
        let log = MemoryLog(
            bus: broker, history: NaiveStore(), clock: .system,
            settings: MemoryLogSettings(acceptance: .immediately))
        let ids = [one, one, one, two]
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await log.run() }
            for (number, thread) in ids.enumerated() {
                let message = Message(
                    id: MessageID(trusted: "m\(number)"), sender: User(id: ann, name: "ann"), text: "hi")
                _ = try await log.append(EventDraft(thread: thread, body: .message(message)))
            }
            group.cancelAll()
        }
        other.publish(.erased, to: ann)
        other.publish(.stored(seq: 1), in: one)
        tap.publish(.erased, to: ann)
        try await received.wait("all signals") { $0.count == 7 }
        let turn = tap.turn(seconds: 1, limit: 1)
        #expect(turn.events == 4 && turn.threads == 2)
        #expect(turn.busiest == [ThreadRate(thread: one, eventsPerSecond: 3)])
        tap.unsubscribe(from: [.thread(two), .user(ann)])
        let next = tap.turn(seconds: 1, limit: 9)
        #expect(next.events == 0 && next.threads == 1)
        #expect(next.busiest.map(\.eventsPerSecond) == [1.5, 0.5])
    }
}
