import ParleyModel
import ParleyRedis
import ParleyTestContracts
import Testing

@Suite("Sends that need a lookup wait in the order of their threads")
struct SendLookupsTests {
    private let one = Samples.thread("one")
    private let two = Samples.thread("two")

    private func lookups(waitingPerThread: Int = 10, waiting: Int = 20) -> SendLookups {
        SendLookups(waitingPerThread: waitingPerThread, waiting: waiting)
    }

    @Test("an append without a lookup proceeds, unless its thread has waiting ones")
    func order() {
        var lookups = lookups()
        #expect(lookups.admit(1, to: one, needsLookup: false) == .proceeds)
        #expect(lookups.admit(2, to: one, needsLookup: true) == .waits)
        #expect(lookups.admit(3, to: one, needsLookup: false) == .waits)
        #expect(lookups.admit(4, to: two, needsLookup: false) == .proceeds)
        #expect(lookups.admit(5, to: one, needsLookup: true) == .waits)
        #expect(lookups.admit(6, to: one, needsLookup: false) == .waits)
        // The replies may come in any order.
        #expect(lookups.answered(5, of: one) == [])
        #expect(lookups.answered(2, of: one) == [2, 3, 5, 6])
        #expect(lookups.admit(7, to: one, needsLookup: false) == .proceeds)
        #expect(lookups.answered(2, of: one) == [])
    }

    @Test("lookups of all threads share batches, and the number of batches is bounded")
    func batches() {
        var lookups = lookups()
        #expect(lookups.takeBatch(limit: 10, batches: 2) == [])
        #expect(lookups.enqueue(1) == true)
        #expect(lookups.enqueue(2) == false)
        #expect(lookups.enqueue(3) == false)
        #expect(lookups.takeBatch(limit: 2, batches: 2) == [1, 2])
        #expect(lookups.hasUnasked)
        #expect(lookups.takeBatch(limit: 2, batches: 2) == [3])
        #expect(lookups.enqueue(4) == true)
        #expect(lookups.takeBatch(limit: 2, batches: 2) == [])
        lookups.end(wasLate: false)
        #expect(lookups.takeBatch(limit: 2, batches: 2) == [4])
        #expect(!lookups.hasUnasked)
    }

    @Test("a batch that has timed out does not block others")
    func late() {
        var lookups = lookups()
        _ = lookups.enqueue(1)
        #expect(lookups.takeBatch(limit: 10, batches: 1) == [1])
        #expect(!lookups.isStuck)
        lookups.expire()
        #expect(lookups.isStuck)
        _ = lookups.enqueue(2)
        #expect(lookups.takeBatch(limit: 10, batches: 1) == [2])
        lookups.end(wasLate: true)
        #expect(!lookups.isStuck)
    }

    @Test("waiting sends are bounded, per thread and in total")
    func bounds() {
        var lookups = lookups(waitingPerThread: 2, waiting: 3)
        #expect(lookups.admit(1, to: one, needsLookup: true) == .waits)
        #expect(lookups.admit(2, to: one, needsLookup: false) == .waits)
        #expect(lookups.admit(3, to: one, needsLookup: false) == .refused)
        #expect(lookups.admit(4, to: two, needsLookup: true) == .waits)
        #expect(lookups.admit(5, to: Samples.thread("three"), needsLookup: true) == .refused)
        #expect(lookups.admit(6, to: Samples.thread("three"), needsLookup: false) == .proceeds)
        #expect(lookups.answered(1, of: one) == [1, 2])
        #expect(lookups.admit(7, to: Samples.thread("three"), needsLookup: true) == .waits)
    }
}
