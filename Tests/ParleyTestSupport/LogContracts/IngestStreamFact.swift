package import ParleyModel

/// The contract of `IngestStream`; used like `ThreadBusFact`. The facts act as the persister.
package enum IngestStreamFact: String, CaseIterable, Sendable {
    case ingestOrderIsLogOrder
    case aThreadIsInOnePartition
    case aReadWaitsForAnEntry
    case aWaitingReadEndsWithItsTask
    case theLimitIsRespected
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
            case .theLimitIsRespected: try await limits(fixture)
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
            try demandEqual(mine.map(\.position.seq), Array(1...20), "seqs of \(thread)")
            let texts = stride(from: index, to: 60, by: 3).map { "\($0)" }
            try demandEqual(mine.map { $0.message?.text }, texts, "texts of \(thread)")
            try demandEqual(mine.map(\.messageCount), Array(1...20), "counts of \(thread)")
            let log = try await node.log.events(in: thread, after: 0, limit: 100).events
            try demandEqual(mine.map(\.position), log.map(\.position), "positions as in the log")
            try demandEqual(mine.map(\.milliseconds), log.map(\.milliseconds), "dates as in the log")
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
        try demandEqual(homes.count, 25, "threads")
        try demand(homes.values.allSatisfy { $0.count == 1 }, "a thread lies in one partition")
        if fixture.ingest.partitions.count > 1 {
            try demand(Set(homes.values).count > 1, "threads are spread over partitions")
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
        try demandEqual(texts, ["late"], "what the read waited for")
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
        try demandEqual(all, [true, true, true, true], "cancelled reads end by CancellationError")
    }

    private func limits(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("limits")
        let home = try await partition(of: thread, fixture, node)
        for number in 1...10 { node.log.append(Samples.send("\(number)", in: thread)) { _ in } }
        try await wait(for: 10, in: home.partition, fixture)
        for limit in [1, 3, 10, 100] {
            let batch = try await fixture.ingest.read(home.partition, after: home.checkpoint, limit: limit)
            try demandEqual(
                batch.events.map { $0.message?.text }, (1...min(limit, 10)).map { "\($0)" }, "at most \(limit)")
        }
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
        try demandEqual(again, first, "the same checkpoint")
        // Ended between the commit and the report: the remaining entries.
        let rest = try await fixture.ingest.read(home.partition, after: first.checkpoint, limit: 100)
        try demandEqual(rest.events.map { $0.message?.text }, (5...10).map { "\($0)" }, "the rest")
        try demandEqual(rest.incarnation, first.incarnation, "incarnation")
        let offsets = Set((first.entries + rest.entries).map(\.offset))
        try demandEqual(offsets.count, 10, "offsets are unique")
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
        try demandEqual(Array(batch.entries.suffix(5)), known.entries, "read from the beginning")
        try demand(batch.incarnation != "another", "the stream tells its own incarnation")
        let unknown = try await fixture.ingest.read(home.partition, after: nil, limit: 100)
        try demandEqual(unknown, batch, "read without a checkpoint")
    }

    private func forgetting(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("stored")
        let home = try await partition(of: thread, fixture, node)
        for number in 1...6 { node.log.append(Samples.send("\(number)", in: thread)) { _ in } }
        try await wait(for: 6, in: home.partition, fixture)
        let batch = try await fixture.ingest.read(home.partition, after: home.checkpoint, limit: 4)
        try demandEqual(batch.backlog, 6, "backlog at the reading")
        let left = await fixture.ingest.stored(batch, outcomes: batch.outcomes)
        try demandEqual(left, 2, "backlog said by a report")
        try demandEqual(try await fixture.ingest.backlog(of: home.partition), 2, "backlog after a report")
        let rest = try await fixture.ingest.read(home.partition, after: nil, limit: 100)
        try demandEqual(rest.events.map { $0.message?.text }, ["5", "6"], "what is left")
        await fixture.ingest.stored(rest, outcomes: rest.outcomes)
        try demandEqual(try await fixture.ingest.backlog(of: home.partition), 0, "backlog when all is stored")
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
        try demandEqual(rest.events.map { $0.message?.text }, ["4", "5", "6"], "the rest")
        try demandEqual(try await fixture.ingest.backlog(of: home.partition), 3, "backlog")
    }

    private func refusing(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("refused")
        let home = try await partition(of: thread, fixture, node)
        let responses = Recorder<Result<Receipt, AppendError>>()
        node.log.append(Samples.send("hi", in: thread, clientID: "c1")) { _ in }
        node.log.append(Samples.send("other", in: thread, clientID: "c1")) { responses.record($0) }
        let refused = try await responses.wait(count: 1)
        try demandEqual(refused, [.failure(.conflict)], "the answer")
        node.log.append(Samples.send("hi", in: thread, clientID: "c1")) { _ in }
        node.log.append(Samples.send("last", in: thread)) { _ in }
        try await wait(for: 2, in: home.partition, fixture)
        let batch = try await fixture.ingest.read(home.partition, after: home.checkpoint, limit: 100)
        try demandEqual(batch.events.map { $0.message?.text }, ["hi", "last"], "the stream")
    }

    private func unreadable(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("poisoned")
        let home = try await partition(of: thread, fixture, node)
        let before = try await node.log.append(Samples.send("before", in: thread))
        try await fixture.injectUnreadable(Array("poison \u{1}".utf8), into: home.partition)
        _ = try await node.log.append(Samples.send("after", in: thread))
        let batch = try await fixture.ingest.read(home.partition, after: home.checkpoint, limit: 100)
        try demandEqual(batch.entries.count, 3, "entries")
        guard case .unreadable(_, let bytes) = batch.entries[1].content else {
            throw ContractViolation("must be unreadable: \(batch.entries[1])")
        }
        try demand(!bytes.isEmpty, "what cannot be read is kept")
        try demandEqual(batch.events.map(\.position.seq), [before.position.seq, before.position.seq + 1], "seqs")
        await fixture.ingest.stored(batch, outcomes: batch.outcomes)
        try demandEqual(try await fixture.ingest.backlog(of: home.partition), 0, "backlog")
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
        // A read waits for the first entry only; the others follow, so the loop ends unless the stream is broken.
        let deadline = ContinuousClock.now + .seconds(10)
        var backlog = 0
        while backlog < count, ContinuousClock.now < deadline {
            _ = try await fixture.ingest.read(partition, after: nil, limit: 1)
            backlog = try await fixture.ingest.backlog(of: partition)
            await Task.yield()
        }
        try demandEqual(backlog, count, "entries of the partition")
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
