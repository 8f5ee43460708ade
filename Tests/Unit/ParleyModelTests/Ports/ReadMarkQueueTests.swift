import ParleyModel
import Synchronization
import Testing

struct ReadMarkQueueTests {
    private let thread = ThreadID(trusted: "t")
    private let ann = UserID(trusted: "ann")
    private let bob = UserID(trusted: "bob")

    @Test("the last mark of a reader counts, and every completion is called")
    func coalescing() {
        var queue = ReadMarkQueue(limit: 10)
        let told = Results()
        for seq in [7, 3, 5] as [Int64] {
            #expect(queue.put(ReadMark(thread: thread, user: ann, seq: seq)) { _ in told.note(seq) })
        }
        #expect(queue.put(ReadMark(thread: thread, user: bob)) { _ in told.note(0) })
        let entries = queue.takeAll()
        #expect(
            Set(entries.map(\.mark)) == [
                ReadMark(thread: thread, user: ann, seq: 5), ReadMark(thread: thread, user: bob),
            ])
        for entry in entries { for complete in entry.completions { complete(true) } }
        #expect(told.seqs.sorted() == [0, 3, 5, 7])
        #expect(queue.isEmpty)
        #expect(queue.takeAll().isEmpty)
    }

    @Test("marks of one reader fill the queue as marks of many do")
    func bound() {
        var queue = ReadMarkQueue(limit: 3)
        for seq in 1...3 as ClosedRange<Int64> {
            #expect(queue.put(ReadMark(thread: thread, user: ann, seq: seq)) { _ in })
        }
        #expect(!queue.put(ReadMark(thread: thread, user: ann, seq: 4)) { _ in })
        #expect(!queue.put(ReadMark(thread: thread, user: bob)) { _ in })
        #expect(queue.takeAll().map(\.mark.seq) == [3])
        #expect(queue.put(ReadMark(thread: thread, user: bob)) { _ in })
    }
}

/// Results in order of completion.
private final class Results: Sendable {
    private let all = Mutex<[Int64]>([])
    func note(_ seq: Int64) { all.withLock { $0.append(seq) } }
    var seqs: [Int64] { all.withLock { $0 } }
}
