import ParleyAccounts
import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleyTestSupport
import Synchronization
import Testing

@Suite("A bus with adopted events passes on what is not adopted")
struct AdoptingBusTests {
    /// A bus whose signals come from the test.
    private final class Source: ThreadBus {
        let receiver = Mutex<@Sendable (BusSignal) -> Void>({ _ in })

        func attach(_ receiver: @escaping @Sendable (BusSignal) -> Void) { self.receiver.withLock { $0 = receiver } }
        func subscribe(to topics: [BusTopic], completion: @escaping @Sendable (Result<Void, BusError>) -> Void) {}
        func unsubscribe(from topics: [BusTopic]) {}
        func publish(_ event: ControlEvent, to user: UserID) {}
        func publish(_ event: EphemeralEvent, in thread: ThreadID) {}
    }

    private struct NoNames: AdoptedNames {
        func clientID(
            of send: ForeignSend, in thread: ThreadID, rememberedFor milliseconds: Int64
        ) async throws(SharedStoreError) -> String { throw .unavailable("none") }
    }

    @Test("other signals, and refused events that clients can see")
    func signals() async throws {
        try await MessagingFixture.run { fixture in
            let source = Source()
            let bus = AdoptingBus(
                source,
                Adopter(fixture.messaging(log: fixture.memory), names: NoNames(), count: { _ in }))
            let received = Recorder<BusSignal>()
            bus.attach { received.record($0) }
            let thread = ThreadID(trusted: "tea")
            let passed: [BusSignal] = [
                .resubscribed, .foreign(ForeignEvent(json: [1]), thread),
                .foreign(ForeignEvent(json: [2], adoption: .refused(.invalid)), thread),
            ]
            let receiver = source.receiver.withLock { $0 }
            for signal in passed { receiver(signal) }
            receiver(.foreign(ForeignEvent(json: [], adoption: .refused(.invalid)), thread))
            #expect(received.elements == passed)
        }
    }
}
