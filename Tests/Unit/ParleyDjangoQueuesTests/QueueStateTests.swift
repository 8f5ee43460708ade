import ParleyChannels
import ParleyDjangoQueues
import ParleyModel
import Testing

@Suite("The state of the core layer's sender and inbox")
struct QueueStateTests {
    private func thread(_ number: Int) -> ThreadID { ThreadID(trusted: "t\(number)") }

    @Test("a thread has one turn at a time, and another one for what comes meanwhile")
    func turns() {
        var turns = QueueTurns(turnsAtOnce: 2, limit: 2)
        let begun = [1, 1, 2, 3, 4, 4, 5].map { turns.wants(thread($0)) }
        #expect(begun == [true, false, true, false, false, false, false])
        // There is no place for 5; a sweep finds it.
        let next = [1, 1, 2, 3, 4].map { turns.ended(thread($0)) }
        #expect(next == [thread(1), thread(3), thread(4), nil, nil])
        let isBegun = turns.wants(thread(5))
        #expect(isBegun)
    }

    @Test("memberships are written in batches, one at a time for each host, and again if they were refused")
    func memberships() {
        var memberships = QueueMemberships(hosts: 2) { $0.text < "t5" ? 0 : 1 }
        let threads = (1...6).map(thread)
        let joined = memberships.join(threads)
        #expect(joined == [0, 1])
        #expect(memberships[local: LayerQueues.localName(of: thread(3))] == thread(3))
        let first = memberships.take(for: 0, atMost: 3)
        #expect(first.map(\.thread) == Array(threads[..<3]))
        let second = memberships.take(for: 0, atMost: 3)
        #expect(second.isEmpty, "others are being written")
        let others = memberships.take(for: 1, atMost: 3)
        #expect(others.map(\.thread) == Array(threads[4...]))
        let left = memberships.leave([thread(1), thread(9)])
        #expect(left == [0])
        #expect(memberships[local: LayerQueues.localName(of: thread(1))] == nil)
        memberships.wrote(first, to: 0, isAccepted: false)
        let again = memberships.take(for: 0, atMost: 10)
        #expect(Set(again.map(\.thread)) == Set(threads[..<4]))
        #expect(again.filter { !$0.isMember }.map(\.thread) == [thread(1)], "the state, not the history")
        memberships.wrote(again, to: 0, isAccepted: true)
        #expect(!memberships.isSettled, "the other host")
        memberships.wrote(others, to: 1, isAccepted: true)
        #expect(memberships.isSettled)
        let renewed = memberships.renew()
        #expect(renewed == [0, 1])
        let renewals = memberships.take(for: 0, atMost: 10)
        #expect(renewals.count == 3)
        let all = memberships.leaveAll()
        #expect(all == [0, 1])
        #expect(memberships.count == 0)
    }

    @Test("events of an earlier process are kept until their thread is wanted, or they expire")
    func held() {
        var held = QueueHeldEvents(began: 1000, expiry: 60, limit: 2)
        let event = ForeignEvent(json: [])
        let attempts: [(local: String, sent: Int64, now: Int64)] = [
            ("sent to this process", 1001, 1001), ("expired", 940, 1000), ("a", 990, 1000), ("b", 950, 1000),
            ("one too many", 1000, 1000),
        ]
        let kept = attempts.map { held.hold(event, local: $0.local, sent: $0.sent, now: $0.now) }
        #expect(kept == [false, false, true, true, false])
        let taken = ["b", "a", "a"].map { held.take($0, now: 1010) }
        #expect(taken == [[], [event], []], "without what has expired meanwhile, and once")
        let late = held.hold(event, local: "a", sent: 1000, now: 1060)
        #expect(!late, "the time is over")
    }
}
