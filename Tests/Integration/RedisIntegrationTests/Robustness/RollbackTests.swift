import Foundation
import ParleyModel
import ParleyRedis
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Synchronization
import Testing

/// What happens when Redis has less than the store, and no node remembers what was there.
@Suite("A Redis that has lost stored events gives no position twice", .timeLimit(.minutes(3)))
struct RollbackTests {
    private let thread = Samples.thread("room")
    private let quiet = Samples.thread("quiet")

    @Test(
        "what is stored is served, and new events get an epoch of their own", arguments: RollbackFixture.Loss.allCases)
    func lost(_ loss: RollbackFixture.Loss) async throws {
        let fixture = try await RollbackFixture(loss)
        let (thread, quiet) = (thread, quiet)
        let (old, oldQuiet) = try await fixture.run { node in
            for number in 1...5 { try await fixture.send("\(number)", in: thread, node) }
            let oldQuiet = try await fixture.send("1", in: quiet, node)
            try await fixture.persist(thread, through: 5, node)
            try await fixture.persist(quiet, through: 1, node)
            try await fixture.remember()
            for number in 6...8 { try await fixture.send("\(number)", in: thread, node) }
            try await fixture.persist(thread, through: 8, node)
            // These are lost, whatever happens.
            try await fixture.send("unstored", in: quiet, node)
            return (try await fixture.send("9", in: thread, node), oldQuiet)
        }
        try await fixture.lose()
        try await fixture.run { node in
            #expect(try await fixture.texts(of: thread, node) == (1...8).map { "\($0)" })
            let slice = try await node.log.events(in: thread, after: 0, limit: 100)
            #expect(slice.end == 8 && slice.epoch != old.position.epoch)
            #expect(slice.formerEpochs == [old.position.epoch: 8])
            // Who only reads a thread that has lost nothing known notices nothing.
            #expect(try await node.log.head(of: quiet)?.position == oldQuiet.position)
            #expect(try await fixture.texts(of: quiet, node) == ["1"])
        }
        try await fixture.run { node in
            let new = try await fixture.send("new", in: thread, node)
            #expect(new.position == Position(epoch: new.position.epoch, seq: 9))
            #expect(new.position.epoch != old.position.epoch)
            // What is stored is known by its clientID, and what is lost is sent again.
            let again = try await fixture.send("7", in: thread, node)
            #expect(again.isRepeat && again.position == Position(epoch: old.position.epoch, seq: 7))
            #expect(try await fixture.send("9", in: thread, node).position.seq == 10)
            let newQuiet = try await fixture.send("2", in: quiet, node)
            #expect(newQuiet.position.seq == 2 && newQuiet.position.epoch != oldQuiet.position.epoch)
            #expect(try await fixture.texts(of: quiet, node) == ["1", "2"])
            try await fixture.persist(thread, through: 10, node)
            try await fixture.persist(quiet, through: 2, node)
            #expect(fixture.store.log(of: thread).map(\.position.seq) == Array(1...10))
            #expect(try await fixture.texts(of: thread, node) == (1...8).map { "\($0)" } + ["new", "9"])
        }
    }

    @Test(
        "what was lost is noticed although nothing of it was stored, and no node remembers it",
        arguments: RollbackFixture.Loss.allCases)
    func lostUnstored(_ loss: RollbackFixture.Loss) async throws {
        let fixture = try await RollbackFixture(loss)
        let (thread, quiet) = (thread, quiet)
        let old = try await fixture.run { node in
            for number in 1...5 { try await fixture.send("\(number)", in: thread, node) }
            try await fixture.send("1", in: quiet, node)
            try await fixture.noted(node)
            try await fixture.remember()
            for number in 6...7 { try await fixture.send("\(number)", in: thread, node) }
            let last = try await fixture.send("8", in: thread, node)
            try await fixture.noted(node)
            return last
        }
        try await fixture.lose()
        try await fixture.run { node in
            // Who only reads is shown what is left.
            #expect(try await fixture.texts(of: thread, node) == (1...5).map { "\($0)" })
            let new = try await fixture.send("new", in: thread, node)
            #expect(new.position.epoch != old.position.epoch && new.position.seq == 6)
            let slice = try await node.log.events(in: thread, after: 0, limit: 100)
            #expect(slice.formerEpochs == [old.position.epoch: 5])
            #expect(try await fixture.send("2", in: quiet, node).position.seq == 2)
            try await fixture.noted(node)
        }
        // The loss is known from now on. (The replica would be one again.)
        guard loss == .cutBack else { return }
        let server = fixture.server
        try await server.restart()
        let epoch = try await fixture.run { node in
            let epoch = try await node.log.head(of: thread)?.position.epoch
            let next = try await fixture.send("next", in: thread, node)
            #expect(next.position == Position(epoch: try #require(epoch), seq: 7))
            try await fixture.noted(node)
            return epoch
        }
        // A Redis without its data is noticed while it runs, too.
        try await fixture.run { node in
            let last = try await fixture.send("last", in: thread, node)
            #expect(last.position == Position(epoch: try #require(epoch), seq: 8))
            try await fixture.noted(node)
            try await server.cli("FLUSHALL")
            let new = try await fixture.send("emptied", in: thread, node)
            #expect(new.position.epoch != epoch && new.position.seq == 9)
            try await fixture.noted(node)
        }
    }

    @Test("an epoch that has ended does not go on in a Redis that has forgotten its end, if a node knows a later one")
    func forgottenEnd() async throws {
        let fixture = try await RollbackFixture()
        let thread = thread
        try await fixture.run(checkLimit: .milliseconds(200)) { node in
            for number in 1...5 { try await fixture.send("\(number)", in: thread, node) }
            try await fixture.persist(thread, through: 5, node)
            try await fixture.remember()
            // From here on the store learns nothing, neither events nor the progress of Redis.
            fixture.history.isAway.store(true, ordering: .relaxed)
            let first = try await fixture.send("6", in: thread, node)
            #expect(first.position.seq == 6)
            try await fixture.lose()
            let second = try await fixture.sendWhenConnected("7", in: thread, node)
            #expect(second.position.seq == 7 && second.position.epoch != first.position.epoch)
            try await fixture.lose()
            fixture.history.isAway.store(false, ordering: .relaxed)
            let third = try await fixture.sendWhenConnected("8", in: thread, node)
            #expect(third.position.seq == 8)
            #expect(![first.position.epoch, second.position.epoch].contains(third.position.epoch))
        }
    }

    @Test("a Redis that was restarted and has everything goes on in the same epoch")
    func kept() async throws {
        let fixture = try await RollbackFixture()
        let thread = thread
        let old = try await fixture.run { node in
            for number in 1...5 { try await fixture.send("\(number)", in: thread, node) }
            try await fixture.persist(thread, through: 5, node)
            return try await fixture.send("6", in: thread, node)
        }
        for number in 7...8 {
            try await fixture.server.restart()
            try await fixture.run { node in
                #expect(try await fixture.texts(of: thread, node) == (1..<number).map { "\($0)" })
                let next = try await fixture.send("\(number)", in: thread, node)
                #expect(next.position == Position(epoch: old.position.epoch, seq: Int64(number)))
            }
        }
        // A node that starts while Redis does not needs no check.
        let before = fixture.history.queries
        try await fixture.run { node in
            let next = try await fixture.send("9", in: thread, node)
            #expect(next.position == Position(epoch: old.position.epoch, seq: 9))
        }
        #expect(fixture.history.queries == before)
    }

    @Test("while the store is away a new epoch begins, and the persister ends it if it has to move events")
    func storeAway() async throws {
        let fixture = try await RollbackFixture()
        let thread = thread
        let old = try await fixture.run { node in
            for number in 1...5 { try await fixture.send("\(number)", in: thread, node) }
            try await fixture.persist(thread, through: 5, node)
            try await fixture.remember()
            for number in 6...7 { try await fixture.send("\(number)", in: thread, node) }
            try await fixture.persist(thread, through: 7, node)
            return try await fixture.send("8", in: thread, node)
        }
        try await fixture.lose()
        fixture.history.isAway.store(true, ordering: .relaxed)
        try await fixture.run(checkLimit: .milliseconds(50)) { node in
            // Readers get what Redis has.
            #expect(try await node.log.events(in: thread, after: 0, limit: 100).end == 5)
            let unchecked = try await fixture.send("a", in: thread, node)
            #expect(unchecked.position.seq == 6 && unchecked.position.epoch != old.position.epoch)
            try await fixture.send("b", in: thread, node)
            fixture.history.isAway.store(false, ordering: .relaxed)
            try await fixture.persist(thread, through: 9, node)
            let epoch = unchecked.position.epoch.successor
            let stored = fixture.store.log(of: thread).suffix(2)
            #expect(stored.map(\.position) == [Position(epoch: epoch, seq: 8), Position(epoch: epoch, seq: 9)])
            let next = try await fixture.send("c", in: thread, node)
            #expect(next.position == Position(epoch: epoch, seq: 10))
            let slice = try await node.log.events(in: thread, after: 0, limit: 100)
            #expect(slice.formerEpochs[unchecked.position.epoch] == 5)
            #expect(try await fixture.texts(of: thread, node) == (1...7).map { "\($0)" } + ["a", "b", "c"])
        }
    }

    @Test(
        "an epoch whose end was not reported to Redis is ended by the next read", arguments: [true, false])
    func unreported(_ isKilled: Bool) async throws {
        let fixture = try await RollbackFixture()
        let thread = thread
        let old = try await fixture.run { node in
            for number in 1...2 { try await fixture.send("\(number)", in: thread, node) }
            try await fixture.remember()
            try await fixture.send("3", in: thread, node)
            try await fixture.persist(thread, through: 3, node)
            return try await fixture.send("4", in: thread, node)
        }
        try await fixture.lose()
        fixture.history.isAway.store(true, ordering: .relaxed)
        let unchecked = try await fixture.run(checkLimit: .milliseconds(50)) { node in
            let unchecked = try await fixture.send("a", in: thread, node).position
            #expect(unchecked.seq == 3 && unchecked.epoch != old.position.epoch)
            let last = try await fixture.send("b", in: thread, node).position
            fixture.history.isAway.store(false, ordering: .relaxed)
            // The persister ends behind the commit, or Redis refuses to write.
            let batches = try await fixture.commit(node)
            #expect(fixture.store.log(of: thread).last?.position.seq == 5)
            if !isKilled {
                try await fixture.server.cli("CONFIG", "SET", "maxmemory", "1")
                await node.ingest.stored(batches)
                try await fixture.server.cli("CONFIG", "SET", "maxmemory", "0")
                // Nor does a report of others of the same read have them forgotten.
                await node.ingest.stored(batches)
                #expect(try await node.log.head(of: thread)?.position == last)
                await node.ingest.stored(try await fixture.commit(node))
            }
            return unchecked
        }
        try await fixture.run { node in
            if isKilled { await node.ingest.stored(try await fixture.commit(node)) }
            let slice = try await node.log.events(in: thread, after: 0, limit: 100)
            #expect(slice.epoch == unchecked.epoch.successor)
            #expect(slice.formerEpochs[unchecked.epoch] == 2)
            let next = try await fixture.send("c", in: thread, node)
            #expect(next.position == Position(epoch: unchecked.epoch.successor, seq: 6))
            try await fixture.persist(thread, through: 6, node)
            #expect(try await fixture.texts(of: thread, node) == ["1", "2", "3", "a", "b", "c"])
        }
    }

    @Test("a node that has seen more than is left begins above that, whichever node is first")
    func seen() async throws {
        let fixture = try await RollbackFixture()
        let thread = thread
        try await fixture.run { remembering in
            try await fixture.run { node in
                for number in 1...5 { try await fixture.send("\(number)", in: thread, node) }
                try fixture.server.saveData()
            }
            let last = try await fixture.send("6", in: thread, remembering)
            try await fixture.lose()
            #expect(try await eventually { await remembering.hosts.problems(within: .seconds(1)).isEmpty })
            let slice = try await remembering.log.events(in: thread, after: 0, limit: 100)
            #expect(slice.end == 6 && slice.epoch != last.position.epoch)
            #expect(slice.formerEpochs == [last.position.epoch: 5])
            try await fixture.run { node in
                let next = try await fixture.send("7", in: thread, node)
                #expect(next.position == Position(epoch: try #require(slice.epoch), seq: 7))
            }
        }
    }

    @Test(
        "what a slow store commits after the threads were checked is served, and its numbers are not given again",
        arguments: [true, false])
    func lateCommit(_ isReportDelayed: Bool) async throws {
        let fixture = try await RollbackFixture()
        let (thread, quiet) = (thread, quiet)
        try await fixture.run { persister in
            let old = try await fixture.run { node in
                for number in 1...2 { try await fixture.send("\(number)", in: thread, node) }
                try await fixture.send("1", in: quiet, node)
                try await fixture.persist(thread, through: 2, node)
                try await fixture.remember()
                for number in 3...4 { try await fixture.send("\(number)", in: thread, node) }
                return try await fixture.send("2", in: quiet, node)
            }
            let read = try await fixture.read(persister)
            try await fixture.lose()
            #expect(try await eventually { await persister.hosts.problems(within: .seconds(1)).isEmpty })
            try await fixture.run { node in
                let texts = (try await fixture.texts(of: thread, node), try await fixture.texts(of: quiet, node))
                #expect(texts == (["1", "2"], ["1"]))
            }
            let stored = zip(read, try await fixture.store.write(read)).map { StoredBatch($0, $1) }
            if isReportDelayed {
                try await fixture.server.cli("CONFIG", "SET", "maxmemory", "1")
                await persister.ingest.stored(stored)
                try await fixture.server.cli("CONFIG", "SET", "maxmemory", "0")
                _ = try await fixture.send("more", in: Samples.thread("marks"), persister)
                _ = try await fixture.read(persister)
            } else {
                await persister.ingest.stored(stored)
            }
            try await fixture.run { node in
                let slice = try await node.log.events(in: thread, after: 0, limit: 100)
                #expect(slice.end == 4 && slice.formerEpochs.values.contains(4))
                #expect(try await fixture.texts(of: thread, node) == ["1", "2", "3", "4"])
                #expect(try await fixture.send("5", in: thread, node).position.seq == 5)
                #expect(try await fixture.texts(of: quiet, node) == ["1", "2"])
                let next = try await fixture.send("3", in: quiet, node).position
                #expect(next.seq == 3 && next.epoch != old.position.epoch)
            }
        }
    }

    @Test("what is stored after its thread has gone on in another epoch comes at the end, and is served by every node")
    func behind() async throws {
        let fixture = try await RollbackFixture()
        let thread = thread
        try await fixture.run { node in
            for number in 1...2 { try await fixture.send("\(number)", in: thread, node) }
            try await fixture.persist(thread, through: 2, node)
            try await fixture.remember()
            for number in 3...4 { try await fixture.send("\(number)", in: thread, node) }
            let read = try await fixture.read(node)
            try await fixture.lose()
            #expect(try await eventually { await node.hosts.problems(within: .seconds(1)).isEmpty })
            // The node remembers 3 and 4, so that it leaves their seqs free.
            #expect(try await fixture.send("5", in: thread, node).position.seq == 5)
            try await fixture.persist(thread, through: 5, node)
            #expect(fixture.store.log(of: thread).map(\.position.seq) == [1, 2, 5])

            let stored = zip(read, try await fixture.store.write(read)).map { StoredBatch($0, $1) }
            await node.ingest.stored(stored)
            let texts = ["1", "2", "5", "3", "4"]
            #expect(fixture.store.log(of: thread).compactMap { $0.message?.text } == texts)
            let elsewhere = try await fixture.run { other in try await fixture.texts(of: thread, other) }
            #expect(elsewhere == texts)
            #expect(try await fixture.texts(of: thread, node) == texts)
            #expect(try await fixture.send("6", in: thread, node).position.seq == 8)
        }
    }

    @Test("20,000 threads are checked in a few queries, for readers and for appends")
    func manyThreads() async throws {
        let fixture = try await RollbackFixture()
        let threads = (0..<20_000).map { Samples.thread("t\($0)") }
        fixture.store.seed(threads.map { Samples.event("old", in: $0, seq: 3, clientID: nil) })
        try await fixture.run { node in
            let heads = try await node.log.heads(of: threads)
            #expect(heads.count == threads.count)
        }
        try fixture.server.saveData()
        fixture.store.seed(threads.map { Samples.event("new", in: $0, seq: 4, clientID: nil) })
        try await fixture.lose()
        try await fixture.run { node in
            let before = fixture.history.queries
            let start = ContinuousClock.now
            let heads = try await node.log.heads(of: threads)
            let time = ContinuousClock.now - start
            #expect(heads.count == threads.count && heads.values.allSatisfy { $0.position.seq == 4 })
            #expect(fixture.history.queries - before <= threads.count / 500)
            if ProcessInfo.processInfo.environment["PARLEY_MEASURE"] != nil { print("20,000 threads in \(time)") }
        }
        try await fixture.server.restart()
        try await fixture.run { node in
            let before = fixture.history.queries
            let replies = Recorder<Result<Receipt, AppendError>>()
            let some = threads.prefix(2000)
            for thread in some { node.log.append(Samples.send("next", in: thread)) { replies.record($0) } }
            for reply in try await replies.wait(count: some.count, within: .seconds(60)) {
                #expect(try reply.get().position.seq == 5)
            }
            #expect(fixture.history.queries - before <= 200)
        }
    }
}
