import NIOCore
import NIOPosix
import ParleyFanOut
import ParleyTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct WorkPoolTests {
    /// Something that a piece of work waits for, on no loop.
    private actor Other {
        func reply() async -> Int {
            await Task.yield()
            return 1
        }
    }

    @Test("work is done where it is wanted, before and after what it waits for")
    func executor() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let places = Mailbox<[Bool]>(of: "places")
        let pool = WorkPool()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await pool.run() }
            let isTaken = pool.submit(on: LoopExecutor(loop)) {
                let before = loop.inEventLoop
                _ = await Other().reply()
                let between = loop.inEventLoop
                await Task.detached {}.value
                places.put([before, between, loop.inEventLoop])
            }
            #expect(isTaken)
            pool.finish()
        }
        #expect(try await places.take(within: .patience) == [true, true, true])
        #expect(!pool.submit {})
    }

    @Test("a cancelled pool refuses work for every executor")
    func cancelled() async {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let pool = WorkPool()
        let task = Task { await pool.run() }
        task.cancel()
        await task.value
        #expect(!pool.submit {})
        #expect(!pool.submit(on: LoopExecutor(loop)) {})
    }

    @Test("too much work is refused, until some is done")
    func limit() async throws {
        let pool = WorkPool(limit: 2)
        #expect(pool.submit {})
        #expect(pool.submit {})
        #expect(!pool.submit {})
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await pool.run() }
            #expect(await (try? eventually { pool.submit {} }) == true)
            pool.finish()
        }
    }
}
