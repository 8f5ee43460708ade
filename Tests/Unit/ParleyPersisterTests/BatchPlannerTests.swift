import ParleyModel
import ParleyPersister
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("BatchPlanner")
struct BatchPlannerTests {
    private let thread = Samples.thread("t")
    private let partitions = [Partition(number: 0)]

    /// The read that follows a batch of the one partition.
    private func read(after checkpoint: IngestCheckpoint?) -> BatchPlanner.Step {
        .read([IngestPosition(partitions[0], after: checkpoint)], limit: 1000)
    }

    private func planner(_ change: (inout PersisterSettings) -> Void = { _ in }) -> BatchPlanner {
        var settings = PersisterSettings()
        change(&settings)
        return BatchPlanner(partitions: partitions, settings: settings)
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
        #expect(start == .loadCheckpoints(partitions))
        let first = planner.checkpointsLoaded([partitions[0]: old])
        #expect(first == read(after: old))
        let write = planner.received([batch])
        #expect(write == .write([batch]))
        let report = planner.written([batch.outcomes], using: &generator)
        #expect(report == .report([StoredBatch(batch, batch.outcomes)]))
        let next = planner.reported()
        #expect(next == read(after: batch.checkpoint))
    }

    @Test("an unavailable store gets the same batch again, with bounded delays, forever")
    func unavailable() {
        var planner = planner()
        var generator = FixedGenerator(value: .max)
        let batch = batch(3)
        _ = planner.checkpointsLoaded([:])
        _ = planner.received([batch])
        for attempt in 1...200 {
            let step = planner.writeFailed(.unavailable("away"), using: &generator)
            guard case .backOff(let wait, attempt) = step else {
                Issue.record("not a wait: \(step)")
                return
            }
            #expect(wait > .zero && wait <= .seconds(1))
            #expect(planner.waited() == .write([batch]))
        }
        _ = planner.written([batch.outcomes], using: &generator)
        let again = planner.reported()
        #expect(again == read(after: batch.checkpoint))
    }

    @Test("what the stream has refused is not written again; reading goes on after it")
    func refused() {
        var planner = planner()
        let batch = batch(3)
        _ = planner.checkpointsLoaded([:])
        _ = planner.received([batch])
        let next = planner.refused()
        #expect(next == read(after: batch.checkpoint))
        #expect(planner.pending.isEmpty)
        let other = self.batch(1)
        let write = planner.received([other])
        #expect(write == .write([other]))
    }

    @Test(
        "any poison entries go to the rejects and the rest is written, in order", arguments: 0..<64)
    func poison(_ mask: Int) {
        var planner = planner()
        var generator = FixedGenerator(value: 1)
        let batch = batch(6)
        let isPoison = { (event: LogEvent) in mask & (1 << Int(event.position.seq - 1)) != 0 }
        _ = planner.checkpointsLoaded([:])
        var step = planner.received([batch])
        var reported: [String] = []
        var rejected: [String] = []
        var writes = 0
        loop: while true {
            switch step {
            case .write(let parts):
                writes += 1
                step =
                    parts.flatMap(\.events).contains(where: isPoison)
                    ? planner.writeFailed(.failed("poison"), using: &generator)
                    : planner.written(parts.map(\.outcomes), using: &generator)
            case .setAside(let part):
                writes += 1
                #expect(part.entries.count == 1 && part.events.isEmpty)
                #expect(part.entries.first?.content.anyEvent != nil)
                rejected += part.entries.map(\.offset)
                step = planner.written([part.outcomes], using: &generator)
            case .report(let parts):
                reported += parts.flatMap(\.batch.entries).map(\.offset)
                step = planner.reported()
            default:
                break loop
            }
        }
        #expect(step == read(after: batch.checkpoint))
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
        _ = planner.checkpointsLoaded([:])
        var step = planner.received([batch])
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
        #expect(planner.pending.map(\.entry) == batch.entries)
    }

    @Test("a result with a wrong number of outcomes is a failure")
    func wrongCount() {
        var planner = planner()
        var generator = FixedGenerator(value: 1)
        let batch = batch(2)
        _ = planner.checkpointsLoaded([:])
        _ = planner.received([batch])
        let step = planner.written([[.stored(seq: 1)]], using: &generator)
        #expect(step == .write([Samples.batch(Array(batch.events.prefix(1)))]))
    }

    @Test("several partitions share a write, and each continues after its own entries")
    func severalPartitions() {
        let partitions = [Partition(number: 4), Partition(number: 9)]
        var generator = FixedGenerator(value: 1)
        var planner = BatchPlanner(partitions: partitions, settings: PersisterSettings())
        func batch(_ number: Int, _ seqs: ClosedRange<Int64>, incarnation: String = "one") -> IngestBatch {
            var batch = Samples.batch(seqs.map { Samples.event("\($0)", in: thread, seq: $0) })
            batch.partition = partitions[number]
            batch.incarnation = incarnation
            return batch
        }
        let old = IngestCheckpoint(incarnation: "one", offset: "7")
        let first = planner.checkpointsLoaded([partitions[1]: old])
        let positions = [IngestPosition(partitions[0], after: nil), IngestPosition(partitions[1], after: old)]
        #expect(first == .read(positions, limit: 1000))
        let parts = [batch(0, 1...2), batch(1, 8...9)]
        let write = planner.received(parts)
        #expect(write == .write(parts))
        // The store fails: the front half is written first, then the rest.
        let half = planner.writeFailed(.failed("poison"), using: &generator)
        #expect(half == .write([parts[0]]))
        let report = planner.written([parts[0].outcomes], using: &generator)
        #expect(report == .report([StoredBatch(parts[0], parts[0].outcomes)]))
        let rest = planner.reported()
        #expect(rest == .write([parts[1]]))
        _ = planner.written([parts[1].outcomes], using: &generator)
        let next = planner.reported()
        let after = [
            IngestPosition(partitions[0], after: parts[0].checkpoint),
            IngestPosition(partitions[1], after: parts[1].checkpoint),
        ]
        #expect(next == .read(after, limit: 1000))
    }

    @Test("an unavailable stream is read again after a delay; the end of the stream ends the persister")
    func stream() {
        var planner = planner()
        var generator = FixedGenerator(value: .max)
        _ = planner.checkpointsLoaded([:])
        let wait = planner.readFailed(using: &generator)
        #expect(wait == .backOff(.milliseconds(50), attempt: 1))
        #expect(planner.waited() == read(after: nil))
        let end = planner.received([])
        #expect(end == .stop)
        #expect(planner.readCancelled() == .stop)
    }

    @Test(
        "a shutdown writes what was read, then drains the stream, if configured",
        arguments: [true, false])
    func shutdown(_ drains: Bool) {
        var planner = planner { $0.drains = drains }
        var generator = FixedGenerator(value: 1)
        let batch = batch(2)
        _ = planner.checkpointsLoaded([:])
        _ = planner.received([batch])
        planner.shutDown()
        let report = planner.written([batch.outcomes], using: &generator)
        #expect(report == .report([StoredBatch(batch, batch.outcomes)]))
        let next = planner.reported()
        #expect(next == (drains ? .askBacklog(partitions) : .stop))
        if drains {
            let more = planner.backlogKnown(1)
            #expect(more == read(after: batch.checkpoint))
            let over = planner.backlogKnown(0)
            #expect(over == .stop)
        }
    }
}
