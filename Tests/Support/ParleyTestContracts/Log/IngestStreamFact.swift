package import ParleyModel
import ParleyTestSupport
import Testing

/// The contract of `IngestStream`; used like `ThreadBusFact`. The facts act as the persister.
package enum IngestStreamFact: String, CaseIterable, Sendable {
    case ingestOrderIsLogOrder
    case aThreadIsInOnePartition
    case aReadWaitsForAnEntry
    case aWaitingReadEndsWithItsTask
    case aShutdownEndsWaits
    case theLimitIsRespected
    case partitionsAreReadAndReportedTogether
    case aRestartReadsExactlyTheRest
    case otherIncarnationsReadFromTheBeginning
    case storedEntriesAreForgotten
    case reportingTwiceIsHarmless
    case aRefusedEventLeavesNothing
    /// Requires a stream that can hold unreadable entries.
    case unreadableEntriesDoNotBlock

    package func check(_ fixture: some LogFixture) async throws {
        try await fixture.whileRunning(storing: false) {
            switch self {
            case .ingestOrderIsLogOrder: try await order(fixture)
            case .aThreadIsInOnePartition: try await partitions(fixture)
            case .aReadWaitsForAnEntry: try await waiting(fixture)
            case .aWaitingReadEndsWithItsTask: try await cancelling(fixture)
            case .aShutdownEndsWaits: try await endingWaits(fixture)
            case .theLimitIsRespected: try await limits(fixture)
            case .partitionsAreReadAndReportedTogether: try await together(fixture)
            case .aRestartReadsExactlyTheRest: try await restarting(fixture)
            case .otherIncarnationsReadFromTheBeginning: try await incarnations(fixture)
            case .storedEntriesAreForgotten: try await forgetting(fixture)
            case .reportingTwiceIsHarmless: try await reportingTwice(fixture)
            case .aRefusedEventLeavesNothing: try await refusing(fixture)
            case .unreadableEntriesDoNotBlock: try await unreadable(fixture)
            }
        }
    }

    private func order(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let threads = [Samples.thread("a"), Samples.thread("b"), Samples.thread("c")]
        for number in 0..<60 {
            node.log.append(Samples.send("\(number)", in: threads[number % 3])) { _ in }
        }
        let events = try await drain(fixture, count: 60).values.flatMap { $0 }
        for (index, thread) in threads.enumerated() {
            let mine = events.filter { $0.thread == thread }
            try #require(mine.map(\.position.seq) == Array(1...20), "seqs of \(thread)")
            let texts = stride(from: index, to: 60, by: 3).map { "\($0)" }
            try #require(mine.map { $0.message?.text } == texts, "texts of \(thread)")
            try #require(mine.map(\.messageCount) == Array(1...20), "counts of \(thread)")
            let log = try await node.log.events(in: thread, after: 0, limit: 100).events
            try #require(mine.map(\.position) == log.map(\.position), "positions as in the log")
            try #require(mine.map(\.milliseconds) == log.map(\.milliseconds), "dates as in the log")
        }
    }

    private func partitions(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        for number in 0..<100 {
            node.log.append(Samples.send("\(number)", in: Samples.thread("thread-\(number % 25)"))) { _ in }
        }
        let read = try await drain(fixture, count: 100)
        var homes: [ThreadID: Set<Partition>] = [:]
        for (partition, events) in read {
            for event in events { homes[event.thread, default: []].insert(partition) }
        }
        try #require(homes.count == 25, "threads")
        try #require(homes.values.allSatisfy { $0.count == 1 }, "a thread lies in one partition")
        if fixture.ingest.partitions.count > 1 {
            try #require(Set(homes.values).count > 1, "threads are spread over partitions")
        }
    }

    private func waiting(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("late")
        let home = try await partition(of: thread, fixture, node)
        let batches = Recorder<IngestBatch>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                batches.record(try await fixture.ingest.read(home.partition, after: home.checkpoint, limit: 10))
            }
            // The entry must be found whether the read or the append comes first.
            node.log.append(Samples.send("late", in: thread)) { _ in }
            try await batches.wait(count: 1)
            try await group.waitForAll()
        }
        let texts = batches.elements[0].events.map { $0.message?.text }
        try #require(texts == ["late"], "what the read waited for")
    }

    private func cancelling(_ fixture: some LogFixture) async throws {
        let partition = fixture.ingest.partitions[0]
        let responses = Recorder<Bool>()
        // Before the read begins, while it begins, and most likely while it waits.
        for yields in [0, 1, 10, 1000] {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        _ = try await fixture.ingest.read(partition, after: nil, limit: 10)
                        responses.record(false)
                    } catch {
                        responses.record(error is CancellationError)
                    }
                }
                for _ in 0..<yields { await Task.yield() }
                group.cancelAll()
            }
        }
        let all = try await responses.wait(count: 4)
        try #require(all == [true, true, true, true], "cancelled reads end by CancellationError")
    }

    private func endingWaits(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("ending")
        let home = try await partition(of: thread, fixture, node)
        let endings = Recorder<Bool>()
        await withTaskGroup(of: Void.self) { group in
            // One that waits already, in most runs, and one that comes later.
            for number in 0..<2 {
                if number == 1 { fixture.ingest.endWaits() }
                group.addTask {
                    do {
                        _ = try await fixture.ingest.read(home.partition, after: home.checkpoint, limit: 10)
                        endings.record(false)
                    } catch {
                        endings.record(error is CancellationError)
                    }
                }
                for _ in 0..<1000 where number == 0 { await Task.yield() }
            }
        }
        try #require(endings.elements == [true, true], "waits end by CancellationError")
        node.log.append(Samples.send("rest", in: thread)) { _ in }
        let isRead = try await eventually {
            let rest = try? await fixture.ingest.read(home.partition, after: home.checkpoint, limit: 10)
            return rest?.events.map { $0.message?.text } == ["rest"]
        }
        try #require(isRead, "what is there can still be read")
    }

    private func limits(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("limits")
        let home = try await partition(of: thread, fixture, node)
        for number in 1...10 { node.log.append(Samples.send("\(number)", in: thread)) { _ in } }
        try await wait(for: 10, in: home.partition, fixture)
        for limit in [1, 3, 10, 100] {
            let batch = try await fixture.ingest.read(home.partition, after: home.checkpoint, limit: limit)
            try #require(
                batch.events.map { $0.message?.text } == (1...min(limit, 10)).map { "\($0)" }, "at most \(limit)")
        }
    }

    private func together(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let count = 40
        for number in 0..<count {
            node.log.append(Samples.send("\(number)", in: Samples.thread("thread-\(number)"))) { _ in }
        }
        try await wait(for: count, fixture)
        var texts: Set<String> = []
        for group in fixture.ingest.groups {
            let positions = group.map { IngestPosition($0, after: nil) }
            var backlog = 0
            for partition in group { backlog += try await fixture.ingest.backlog(of: partition) }
            while backlog > 0 {
                let batches = try await fixture.ingest.read(positions, limit: 10)
                let partitions = batches.map(\.partition)
                try #require(Set(partitions).count == partitions.count, "batches of a partition")
                try #require(batches.allSatisfy { !$0.entries.isEmpty }, "no batch is empty")
                let entries = batches.reduce(0) { $0 + $1.entries.count }
                try #require(entries <= max(10, batches.count), "entries at a limit of 10")
                texts.formUnion(batches.flatMap(\.events).compactMap { $0.message?.text })
                let left = await fixture.ingest.stored(batches.map { StoredBatch($0, $0.outcomes) })
                try #require(left == batches.map { ($0.backlog ?? 0) - $0.entries.count }, "backlogs after a report")
                backlog -= entries
            }
            for partition in group { try #require(try await fixture.ingest.backlog(of: partition) == 0, "backlog") }
        }
        try #require(texts == Set((0..<count).map { "\($0)" }), "what was read")
    }

    private func restarting(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("restart")
        let home = try await partition(of: thread, fixture, node)
        for number in 1...10 { node.log.append(Samples.send("\(number)", in: thread)) { _ in } }
        try await wait(for: 10, in: home.partition, fixture)
        let first = try await fixture.ingest.read(home.partition, after: home.checkpoint, limit: 4)
        // Ended before the commit: the same entries again.
        let again = try await fixture.ingest.read(home.partition, after: home.checkpoint, limit: 4)
        try #require(again == first, "the same checkpoint")
        // Ended between the commit and the report: the remaining entries.
        let rest = try await fixture.ingest.read(home.partition, after: first.checkpoint, limit: 100)
        try #require(rest.events.map { $0.message?.text } == (5...10).map { "\($0)" }, "the rest")
        try #require(rest.incarnation == first.incarnation, "incarnation")
        let offsets = Set((first.entries + rest.entries).map(\.offset))
        try #require(offsets.count == 10, "offsets are unique")
    }

    private func incarnations(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("reborn")
        let home = try await partition(of: thread, fixture, node)
        for number in 1...5 { node.log.append(Samples.send("\(number)", in: thread)) { _ in } }
        try await wait(for: 5, in: home.partition, fixture)
        let known = try await fixture.ingest.read(home.partition, after: home.checkpoint, limit: 100)
        let last = known.entries[known.entries.count - 1].offset
        let foreign = IngestCheckpoint(incarnation: "another", offset: last)
        let batch = try await fixture.ingest.read(home.partition, after: foreign, limit: 100)
        try #require(Array(batch.entries.suffix(5)) == known.entries, "read from the beginning")
        try #require(batch.incarnation != "another", "the stream tells its own incarnation")
        let unknown = try await fixture.ingest.read(home.partition, after: nil, limit: 100)
        try #require(unknown == batch, "read without a checkpoint")
    }

    private func forgetting(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("stored")
        let home = try await partition(of: thread, fixture, node)
        for number in 1...6 { node.log.append(Samples.send("\(number)", in: thread)) { _ in } }
        try await wait(for: 6, in: home.partition, fixture)
        let batch = try await fixture.ingest.read(home.partition, after: home.checkpoint, limit: 4)
        try #require(batch.backlog == 6, "backlog at the reading")
        let left = await fixture.ingest.stored(batch, outcomes: batch.outcomes)
        try #require(left == 2, "backlog said by a report")
        try #require(try await fixture.ingest.backlog(of: home.partition) == 2, "backlog after a report")
        let rest = try await fixture.ingest.read(home.partition, after: nil, limit: 100)
        try #require(rest.events.map { $0.message?.text } == ["5", "6"], "what is left")
        await fixture.ingest.stored(rest, outcomes: rest.outcomes)
        try #require(try await fixture.ingest.backlog(of: home.partition) == 0, "backlog when all is stored")
    }

    private func reportingTwice(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("twice")
        let home = try await partition(of: thread, fixture, node)
        for number in 1...6 { node.log.append(Samples.send("\(number)", in: thread)) { _ in } }
        try await wait(for: 6, in: home.partition, fixture)
        let batch = try await fixture.ingest.read(home.partition, after: home.checkpoint, limit: 3)
        for _ in 0..<2 { await fixture.ingest.stored(batch, outcomes: batch.outcomes) }
        var foreign = batch
        foreign.incarnation = "another"
        await fixture.ingest.stored(foreign, outcomes: foreign.outcomes)
        let rest = try await fixture.ingest.read(home.partition, after: batch.checkpoint, limit: 100)
        try #require(rest.events.map { $0.message?.text } == ["4", "5", "6"], "the rest")
        try #require(try await fixture.ingest.backlog(of: home.partition) == 3, "backlog")
    }

    private func refusing(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("refused")
        let home = try await partition(of: thread, fixture, node)
        let responses = Recorder<Result<Receipt, AppendError>>()
        node.log.append(Samples.send("hi", in: thread, clientID: "c1")) { _ in }
        node.log.append(Samples.send("other", in: thread, clientID: "c1")) { responses.record($0) }
        let refused = try await responses.wait(count: 1)
        try #require(refused == [.failure(.conflict)], "the answer")
        node.log.append(Samples.send("hi", in: thread, clientID: "c1")) { _ in }
        node.log.append(Samples.send("last", in: thread)) { _ in }
        try await wait(for: 2, in: home.partition, fixture)
        let batch = try await fixture.ingest.read(home.partition, after: home.checkpoint, limit: 100)
        try #require(batch.events.map { $0.message?.text } == ["hi", "last"], "the stream")
    }

    private func unreadable(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("poisoned")
        let home = try await partition(of: thread, fixture, node)
        let before = try await node.log.append(Samples.send("before", in: thread))
        try await fixture.injectUnreadable(Array("poison \u{1}".utf8), into: home.partition)
        _ = try await node.log.append(Samples.send("after", in: thread))
        let batch = try await fixture.ingest.read(home.partition, after: home.checkpoint, limit: 100)
        try #require(batch.entries.count == 3, "entries")
        let bytes = if case .unreadable(_, let bytes) = batch.entries[1].content { bytes } else { [UInt8]?.none }
        try #require(try #require(bytes, "unreadable").isEmpty == false, "what cannot be read is kept")
        try #require(batch.events.map(\.position.seq) == [before.position.seq, before.position.seq + 1], "seqs")
        await fixture.ingest.stored(batch, outcomes: batch.outcomes)
        try #require(try await fixture.ingest.backlog(of: home.partition) == 0, "backlog")
    }

    // MARK: Helpers

    /// The partition of a thread, with a checkpoint before everything that is appended later.
    ///
    /// To get it, a first event of the thread is stored, under seq 1 of another thread of the partition.
    private func partition(
        of thread: ThreadID, _ fixture: some LogFixture, _ node: LogNode
    ) async throws -> (partition: Partition, checkpoint: IngestCheckpoint?) {
        let ingest = fixture.ingest
        if ingest.partitions.count == 1 { return (ingest.partitions[0], nil) }
        node.log.append(Samples.send("scout", in: thread)) { _ in }
        let batches = Recorder<IngestBatch>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for partition in ingest.partitions {
                group.addTask {
                    batches.record(try await ingest.read(partition, after: nil, limit: 1))
                }
            }
            try await batches.wait(count: 1)
            group.cancelAll()
        }
        let batch = batches.elements[0]
        await ingest.stored(batch, outcomes: batch.outcomes)
        return (batch.partition, batch.checkpoint)
    }

    /// Waits until a partition holds `count` entries.
    private func wait(for count: Int, in partition: Partition, _ fixture: some LogFixture) async throws {
        // A read waits for the first entry only; the others follow.
        let isComplete = try await eventually {
            _ = try await fixture.ingest.read(partition, after: nil, limit: 1)
            return try await fixture.ingest.backlog(of: partition) == count
        }
        try #require(isComplete, "\(count) entries of the partition")
    }

    /// Waits until all partitions together hold `count` entries.
    private func wait(for count: Int, _ fixture: some LogFixture) async throws {
        let isReached = try await eventually {
            var backlog = 0
            for partition in fixture.ingest.partitions { backlog += try await fixture.ingest.backlog(of: partition) }
            return backlog == count
        }
        try #require(isReached, "entries of all partitions")
    }

    /// Reads and reports all partitions until `count` entries were read.
    private func drain(_ fixture: some LogFixture, count: Int) async throws -> [Partition: [LogEvent]] {
        let ingest = fixture.ingest
        let read = Recorder<(Partition, LogEvent)>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for partition in ingest.partitions {
                group.addTask {
                    var checkpoint: IngestCheckpoint?
                    while !Task.isCancelled {
                        guard let batch = try? await ingest.read(partition, after: checkpoint, limit: 7) else { return }
                        for event in batch.events { read.record((partition, event)) }
                        await ingest.stored(batch, outcomes: batch.outcomes)
                        checkpoint = batch.checkpoint
                    }
                }
            }
            try await read.wait(count: count)
            group.cancelAll()
        }
        var all: [Partition: [LogEvent]] = [:]
        for (partition, event) in read.elements { all[partition, default: []].append(event) }
        return all
    }
}

extension IngestBatch {
    /// The events, without unreadable entries.
    package var events: [LogEvent] {
        entries.compactMap { if case .event(let event) = $0.content { event } else { nil } }
    }

    /// The outcomes of a store that stores everything.
    package var outcomes: [StoreOutcome] {
        entries.map { entry in
            switch entry.content {
            case .event(let event): .stored(seq: event.position.seq)
            case .readMark: .marked
            case .unreadable(let reason, _), .refused(_, let reason): .rejected(reason)
            }
        }
    }
}
