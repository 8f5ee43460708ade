import ParleyModel
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Traced messages")
struct TracingTests {
    private static let clock = WallClock { 1_700_000_000_000 }

    /// Keeps what it is given.
    private final class RecordingTraceStore: TraceStore {
        let stamps = Mutex<[MessageID: [TraceStamp]]>([:])

        func add(_ stamps: [TraceStamp], of message: MessageID) async {
            self.stamps.withLock { $0[message, default: []] += stamps }
        }

        func stamps(of message: MessageID) async throws(SharedStoreError) -> [TraceStamp] {
            stamps.withLock { $0[message] ?? [] }
        }
    }

    @Test("the id shows whether a message is traced: the sampled share and all requested ones")
    func ids() {
        for (every, least, most) in [(0, 0, 0), (1, 20_000, 20_000), (16, 1000, 1500)] {
            let tracer = Tracer(node: "n", every: every) { 0 }
            let ids = (0..<20_000).map { _ in tracer.messageID(Self.clock) }
            #expect(Set(ids).count == ids.count)
            #expect((least...most).contains(ids.filter(\.isTraced).count), "one of \(every)")
            #expect(ids.allSatisfy { $0.isTraced == $0.text.hasSuffix("7ace") && $0.text.count == 32 })
            // Still UUIDs of version 7 and of this time.
            #expect(ids.allSatisfy { $0.text.hasPrefix("018bcfe568007") && "89ab".contains(Array($0.text)[16]) })
            #expect(tracer.messageID(Self.clock, isAsked: true).isTraced)
        }
    }

    @Test("an id that has the mark by chance is changed")
    func chance() {
        var generator = FixedGenerator(value: 0x08D1_59E2_6AF1_EB38)
        let id = Tracer(node: "n", every: 0) { 0 }.messageID(Self.clock, using: &generator)
        #expect(!id.isTraced)
        #expect(id.text.hasSuffix("9abc7acf"))
        #expect(Tracer(node: "n", every: 0) { 0 }.messageID(Self.clock, isAsked: true, using: &generator).isTraced)
    }

    @Test(
        "ids not made by Parley are not traced",
        arguments: ["7ace", "message-7ace", String(repeating: "x", count: 29) + "7ace"])
    func foreignIDs(text: String) {
        #expect(!MessageID(trusted: text).isTraced)
    }

    @Test("stamps of traced messages are written with node and time, up to the limit")
    func stamps() async {
        let tracer = Tracer(node: "g1", every: 1, limit: 3) { 1000 }
        let (traced, other) = (tracer.messageID(Self.clock), MessageID(trusted: "m"))
        tracer.stamp(.read, traced, ago: 400)
        tracer.stamp(.read, other)
        tracer.stamp(.sent, traced, ago: -5)
        tracer.stamp(.flushed, traced, sockets: 7)
        tracer.stamp(.committed, traced)
        let traces = RecordingTraceStore()
        let task = Task { await tracer.run(into: traces) {} }
        // Waiting stamps are written even then.
        task.cancel()
        await task.value
        #expect(
            traces.stamps.withLock { $0 } == [
                traced: [
                    TraceStamp(.read, at: "g1", microseconds: 600), TraceStamp(.sent, at: "g1", microseconds: 1000),
                    TraceStamp(.flushed, at: "g1", microseconds: 1000, sockets: 7),
                ]
            ])
        Tracer.off.stamp(.read, traced)
    }

    @Test("the trace is ordered by time, and each step follows its predecessor on the same node")
    func trace() {
        func stamp(_ hop: TraceStamp.Hop, _ node: String, _ time: Int64, _ sockets: Int = 0) -> TraceStamp {
            TraceStamp(hop, at: node, microseconds: time, sockets: sockets)
        }
        let trace = MessageTrace([
            stamp(.committed, "p1", 900), stamp(.flushed, "g2", 160, 3), stamp(.read, "g1", 100),
            stamp(.flushed, "g2", 170, 2), stamp(.received, "g2", 150), stamp(.sent, "g1", 110),
            stamp(.received, "g1", 140), stamp(.appended, "g1", 145), stamp(.flushed, "g1", 155, 1),
            // Sent twice, since the first reply was lost.
            stamp(.sent, "g1", 300), stamp(.taken, "p1", 400), stamp(.flushed, "g3", 500, 1),
        ])
        let steps = trace.steps.map { "\($0.stamp.hop)@\($0.stamp.node) \($0.sinceFirst) \($0.sinceBefore ?? -1)" }
        #expect(
            steps == [
                "read@g1 0 -1", "sent@g1 10 10", "received@g1 40 30", "appended@g1 45 35", "received@g2 50 40",
                "flushed@g1 55 15", "flushed@g2 70 20", "taken@p1 300 290", "flushed@g3 400 -1",
                "committed@p1 800 500",
            ])
        #expect(trace.steps.first { $0.stamp.node == "g2" && $0.stamp.hop == .flushed }?.stamp.sockets == 5)
        #expect(trace.steps.map(\.before?.rawValue).suffix(2) == [nil, "taken"])
        #expect(MessageTrace([]).steps.isEmpty)
    }
}
