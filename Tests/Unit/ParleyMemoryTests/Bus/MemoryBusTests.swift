import ParleyMemory
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("The memory bus")
struct MemoryBusTests {
    private let thread = Samples.thread("t")

    @Test("a mailbox drops signals above its bound and reports that")
    func mailbox() {
        let signal = BusSignal.ephemeral(.guestJoined("Zoë"), thread)
        var mailbox = Mailbox(limit: 3)
        #expect(mailbox.append(signal) == true)
        for _ in 0..<2 { #expect(mailbox.append(signal) == false) }
        #expect(mailbox.take() == [signal, signal, signal])
        for _ in 0..<5 { #expect(mailbox.append(signal) == false) }
        #expect(mailbox.take() == [signal, signal, signal, .resubscribed])
        #expect(mailbox.take() == nil)
        #expect(mailbox.append(signal) == true)
        #expect(mailbox.take() == [signal])
    }

    @Test("a receiver that publishes is not called within its own call")
    func reentrance() async throws {
        let broker = MemoryBroker()
        let bus = broker.makeBus()
        let calls = Recorder<String>()
        bus.attach { [weak bus] signal in
            guard case .ephemeral(.guestJoined(let name), let thread) = signal else { return }
            calls.record("begin \(name)")
            if name == "one" { bus?.publish(.guestJoined("two"), in: thread) }
            calls.record("end \(name)")
        }
        try await bus.subscribe(to: [.thread(thread)])
        bus.publish(.guestJoined("one"), in: thread)
        #expect(calls.elements == ["begin one", "end one", "begin two", "end two"])
    }

    @Test("a released node is removed")
    func released() async throws {
        let broker = MemoryBroker()
        let received = Recorder<BusSignal>()
        var bus: MemoryBus? = broker.makeBus()
        bus?.attach { received.record($0) }
        try await bus?.subscribe(to: [.thread(thread)])
        let other = broker.makeBus()
        other.publish(.guestJoined("Zoë"), in: thread)
        bus = nil
        other.publish(.guestLeft("Zoë"), in: thread)
        #expect(received.elements == [.ephemeral(.guestJoined("Zoë"), thread)])
    }
}
