import ParleyModel
import ParleyPersister
import ParleyTestSupport
import Testing

@Suite("BatchPlanner")
struct BatchPlannerTests {
    private let thread = Samples.thread("t")

    private func planner(_ change: (inout PersisterSettings) -> Void = { _ in }) -> BatchPlanner {
        var settings = PersisterSettings()
        change(&settings)
        return BatchPlanner(partition: Partition(number: 0), settings: settings)
    }

    private func batch(_ count: Int) -> IngestBatch {
        Samples.batch((1...count).map { Samples.event("\($0)", in: thread, seq: Int64($0)) })
    }

    @Test("it reads after the checkpoint, writes, reports and reads on")
    func happyPath() {
        var planner = planner()
        var generator = FixedGenerator(value: 1)
        let batch = batch(3)
        let old = IngestCheckpoint(incarnation: "one", offset: "0")
        let start = planner.start()
        #expect(start == .loadCheckpoint)
        let read = planner.checkpointLoaded(old)
        #expect(read == .read(after: old, limit: 1000))
        let write = planner.received(batch)
        #expect(write == .write(batch))
        let report = planner.written(batch.outcomes, using: &generator)
        #expect(report == .report(batch, batch.outcomes))
        let next = planner.reported()
        #expect(next == .read(after: batch.checkpoint, limit: 1000))
    }

    @Test("an unavailable store gets the same batch again, with bounded delays, forever")
    func unavailable() {
        var planner = planner()
        var generator = FixedGenerator(value: .max)
        let batch = batch(3)
        _ = planner.checkpointLoaded(nil)
        _ = planner.received(batch)
        for attempt in 1...200 {
            let step = planner.writeFailed(.unavailable("away"), using: &generator)
            guard case .backOff(let wait, attempt) = step else {
                Issue.record("not a wait: \(step)")
                return
            }
            #expect(wait > .zero && wait <= .seconds(5))
            #expect(planner.waited() == .write(batch))
        }
        _ = planner.written(batch.outcomes, using: &generator)
        let again = planner.reported()
        #expect(again == .read(after: batch.checkpoint, limit: 1000))
    }

    @Test(
        "any poison entries go to the rejects and the rest is written, in order", arguments: 0..<64)
    func poison(_ mask: Int) {
        var planner = planner()
        var generator = FixedGenerator(value: 1)
        let batch = batch(6)
        let isPoison = { (event: LogEvent) in mask & (1 << Int(event.position.seq - 1)) != 0 }
        _ = planner.checkpointLoaded(nil)
        var step = planner.received(batch)
        var reported: [String] = []
        var rejected: [String] = []
        var writes = 0
        loop: while true {
            switch step {
            case .write(let part):
                writes += 1
                step =
                    part.events.contains(where: isPoison)
                    ? planner.writeFailed(.failed("poison"), using: &generator)
                    : planner.written(part.outcomes, using: &generator)
            case .setAside(let part):
                writes += 1
                #expect(part.entries.count == 1 && part.events.isEmpty)
                #expect(part.entries.first?.content.anyEvent != nil)
                rejected += part.entries.map(\.offset)
                step = planner.written(part.outcomes, using: &generator)
            case .report(let part, _):
                reported += part.entries.map(\.offset)
                step = planner.reported()
            default:
                break loop
            }
        }
        #expect(step == .read(after: batch.checkpoint, limit: 1000))
        #expect(reported == batch.entries.map(\.offset))
        #expect(rejected == batch.entries.filter { mask & (1 << ((Int($0.offset) ?? 1) - 1)) != 0 }.map(\.offset))
        // For each poison entry the halves of a tree with 6 leaves are tried at most once each, and the entry is set
        // aside.
        #expect(writes <= 1 + 11 * mask.nonzeroBitCount)
    }

    @Test("a store that refuses even a reject counts as broken: the planner waits, and gives nothing up")
    func broken() {
        var planner = planner()
        var generator = FixedGenerator(value: .max)
        let batch = batch(4)
        _ = planner.checkpointLoaded(nil)
        var step = planner.received(batch)
        var writesSinceWait = 0
        var waits = 0
        while waits < 50 {
            switch step {
            case .write, .setAside:
                writesSinceWait += 1
                step = planner.writeFailed(.failed("disk full"), using: &generator)
            case .backOff:
                #expect(writesSinceWait <= 4)
                writesSinceWait = 0
                waits += 1
                step = planner.waited()
            default:
                Issue.record("gave up: \(step)")
                return
            }
        }
        #expect(planner.remaining == batch.entries)
    }

    @Test("a result with a wrong number of outcomes is a failure")
    func wrongCount() {
        var planner = planner()
        var generator = FixedGenerator(value: 1)
        let batch = batch(2)
        _ = planner.checkpointLoaded(nil)
        _ = planner.received(batch)
        let step = planner.written([.stored(seq: 1)], using: &generator)
        #expect(step == .write(Samples.batch(Array(batch.events.prefix(1)))))
    }

    @Test("a partial batch waits once for more, if configured")
    func fill() {
        var planner = planner {
            $0.maximumDelay = .milliseconds(20)
            $0.batchLimit = 3
        }
        _ = planner.checkpointLoaded(nil)
        let fill = planner.received(batch(1))
        #expect(fill == .fill(.milliseconds(20)))
        #expect(planner.waited() == .read(after: nil, limit: 3))
        let write = planner.received(batch(2))
        #expect(write == .write(batch(2)))
        var full = self.planner {
            $0.maximumDelay = .milliseconds(20)
            $0.batchLimit = 3
        }
        _ = full.checkpointLoaded(nil)
        let atOnce = full.received(batch(3))
        #expect(atOnce == .write(batch(3)))
    }

    @Test("an unavailable stream is read again after a delay; the end of the stream ends the persister")
    func stream() {
        var planner = planner()
        var generator = FixedGenerator(value: .max)
        _ = planner.checkpointLoaded(nil)
        let wait = planner.readFailed(using: &generator)
        #expect(wait == .backOff(.milliseconds(50), attempt: 1))
        #expect(planner.waited() == .read(after: nil, limit: 1000))
        let end = planner.received(IngestBatch(partition: Partition(number: 0), incarnation: "one", entries: []))
        #expect(end == .stop)
    }

    @Test(
        "a shutdown writes what was read, then drains the stream, if configured",
        arguments: [true, false])
    func shutdown(_ drains: Bool) {
        var planner = planner { $0.drains = drains }
        var generator = FixedGenerator(value: 1)
        let batch = batch(2)
        _ = planner.checkpointLoaded(nil)
        _ = planner.received(batch)
        planner.shutDown()
        #expect(!planner.mayWait)
        let report = planner.written(batch.outcomes, using: &generator)
        #expect(report == .report(batch, batch.outcomes))
        let next = planner.reported()
        #expect(next == (drains ? .askBacklog : .stop))
        if drains {
            let more = planner.backlogKnown(1)
            #expect(more == .read(after: batch.checkpoint, limit: 1000))
            let over = planner.backlogKnown(0)
            #expect(over == .stop)
        }
    }
}
