import ParleyClient
import Testing

@Suite("A value behind a lock")
struct LockedTests {
    @Test("no change is lost between tasks")
    func exclusive() async {
        let count = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<5_000 { count.withLock { $0 += 1 } } }
            }
        }
        #expect(count.withLock { $0 } == 40_000)
    }

    @Test("an error of the closure leaves the lock, and what was changed before it")
    func error() {
        let value = Locked("")
        #expect(throws: ChatError.offline) {
            try value.withLock { text in
                text = "changed"
                throw ChatError.offline
            }
        }
        #expect(value.withLock { $0 } == "changed")
    }
}
