import ParleyConcurrency
import Synchronization
import Testing

@Suite("A keyed lock")
struct KeyedLockTests {
    @Test("operations of a key run one at a time, those of other keys beside them")
    func turns() async {
        let lock = KeyedLock<Int>(limit: 100)
        let running = Mutex<[Int: Int]>([:])
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let key = number % 3
                    guard await lock.take(key) else {
                        Issue.record("refused below the limit")
                        return
                    }
                    let others = running.withLock { running in
                        running[key, default: 0] += 1
                        return running[key]
                    }
                    #expect(others == 1)
                    await Task.yield()
                    running.withLock { $0[key] = 0 }
                    await lock.give(key)
                }
            }
        }
        #expect(await lock.take(0), "the lock is not free in the end")
    }

    @Test("whoever comes when too many wait is refused at once")
    func limit() async {
        let lock = KeyedLock<Int>(limit: 0)
        #expect(await lock.take(1))
        #expect(await lock.take(1) == false)
        #expect(await lock.take(2))
        await lock.give(1)
        #expect(await lock.take(1))
    }
}
