import ParleyMessaging
import ParleyModel
import Testing

@Suite("The queues of adopted events")
struct AdoptionQueuesTests {
    private let one = ThreadID(trusted: "one")
    private let two = ThreadID(trusted: "two")

    @Test("a thread has one turn at a time, and keeps its order")
    func turns() {
        var queues = AdoptionQueues<Int>(limit: 10)
        let verdicts = [queues.put(1, in: one), queues.put(2, in: one), queues.put(3, in: two), queues.put(4, in: one)]
        #expect(verdicts == [.begins, .waits, .begins, .waits])
        var taken = [queues.take(one, atMost: 2), queues.take(one, atMost: 2)]
        let late = queues.put(5, in: one)
        #expect(late == .waits, "the turn is not over")
        taken += [queues.take(one, atMost: 2), queues.take(one, atMost: 2)]
        #expect(taken == [[1, 2], [4], [5], []])
        let next = queues.put(6, in: one)
        #expect(next == .begins)
    }

    @Test("events count until they are done")
    func limit() {
        var queues = AdoptionQueues<Int>(limit: 2)
        let first = [queues.put(1, in: one), queues.put(2, in: two), queues.put(3, in: one)]
        #expect(first == [.begins, .begins, .refused])
        let taken = queues.take(one, atMost: 5)
        #expect(taken == [1])
        let during = queues.put(4, in: one)
        #expect(during == .refused)
        queues.finished(1)
        let after = queues.put(5, in: one)
        #expect(after == .waits)
    }
}
