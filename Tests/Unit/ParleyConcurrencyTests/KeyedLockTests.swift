import ParleyConcurrency
import Testing

@Suite("A keyed lock")
struct KeyedLockTests {
    @Test("operations of a key run one at a time, those of other keys beside them")
    func turns() async {
        let lock = KeyedLock<Int>(limit: 100)
        let running = Running()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let key = number % 3
                    guard await lock.take(key) else {
                        Issue.record("refused below the limit")
                        return
                    }
                    #expect(await running.begin(key) == 1)
                    await Task.yield()
                    await running.end(key)
                    await lock.give(key)
                }
            }
        }
        #expect(await lock.take(0), "the lock is not free in the end")
    }

    /// How many operations of each key run at the moment.
    private actor Running {
        private var counts: [Int: Int] = [:]

        func begin(_ key: Int) -> Int {
            counts[key, default: 0] += 1
            return counts[key, default: 0]
        }

        func end(_ key: Int) { counts[key, default: 0] -= 1 }
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
