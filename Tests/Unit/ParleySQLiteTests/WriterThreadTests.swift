import Foundation
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("The thread that writes batches")
struct WriterThreadTests {
    /// The thread that calls it; valid while that thread lives.
    private static func current() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

    @Test("tasks that prefer it run on one thread, whatever they await")
    func oneThread() async throws {
        let executor = WriterThread(name: "test")
        let own = try await executor.run { Self.current() }
        await withTaskExecutorPreference(executor) {
            await Task.yield()
            #expect(Self.current() == own)
            let threads = await withTaskGroup(of: ObjectIdentifier.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        await Task.yield()
                        return Self.current()
                    }
                }
                return await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert($1) }
            }
            #expect(threads == [own])
        }
        executor.finish()
    }

    @Test("what may block runs on it, whatever the task prefers, and the task goes back")
    func blocking() async throws {
        let executor = WriterThread(name: "test")
        let own = try await executor.run { Self.current() }
        #expect(Self.current() != own)
        #expect(try await executor.run { Self.current() } == own)
        let preferred = try await withTaskExecutorPreference(executor) { try await executor.run { Self.current() } }
        #expect(preferred == own)
        executor.finish()
    }

    @Test("a job after the end of the thread starts another one")
    func afterEnd() async throws {
        let executor = WriterThread(name: "test")
        for number in 0..<100 {
            #expect(try await executor.run { number } == number)
            executor.finish()
        }
    }

    @Test("a cancelled write leaves nothing and is unavailable")
    func cancelled() async throws {
        let database = try await SQLiteTestDatabase.make()
        let store = try database.openStore()
        let entry = IngestBatch.Entry(offset: "1", content: .unreadable(reason: "reason", bytes: [1]))
        let batch = IngestBatch(partition: Partition(number: 0), incarnation: "i", entries: [entry])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.write(batch)
        }
        let error = await #expect(throws: StoreError.self) { try await task.value }
        #expect(error?.isUnavailable == true)
        #expect(try await store.checkpoint(of: batch.partition) == nil)
        #expect(try await database.rejects().isEmpty)
        try await database.remove()
    }
}
