import ParleyMessaging
import ParleyModel
import Testing

@Suite("Scheduling of read marks")
struct ReadMarkSchedulerTests {
    private typealias Line = ReadMarkScheduler<Int>

    private static let budgets = Budgets(.forTests())
    private let alice = Self.budgets.retain(UserID(trusted: "alice-id"))
    private let bob = Self.budgets.retain(UserID(trusted: "bob-id"))

    private func entry(
        _ thread: String, of user: UserBudgets, _ seq: Int64?, notifiesMembers: Bool = true, _ completion: Int
    ) -> Line.Entry {
        Line.Entry(
            thread: ThreadID(trusted: thread), budgets: user, seq: seq, madeAt: Int64(completion),
            notifiesMembers: notifiesMembers,
            completions: [completion])
    }

    @Test("the last waiting mark of a user and thread counts, and answers all of them")
    func merges() {
        var line = Line(limit: 10)
        var requested = 0
        for number in 0..<3000 {
            let verdict = line.put(entry("a", of: alice, Int64(number), notifiesMembers: number == 7, number)) {
                requested += 1
                return true
            }
            #expect(verdict == .waits)
        }
        #expect(requested == 1)
        let entries = line.takeGranted()
        #expect(entries.map(\.seq) == [2999])
        #expect(entries.map(\.milliseconds) == [2999])
        #expect(entries.map(\.notifiesMembers) == [true])
        #expect(entries.first?.completions == Array(0..<3000))
        #expect(line.isEmpty)
    }

    @Test("marks above the budget wait in order, and only behind their own user's")
    func holds() {
        var line = Line(limit: 10)
        for (number, thread) in ["a", "b", "c"].enumerated() {
            _ = line.put(entry(thread, of: alice, 1, number)) { false }
        }
        _ = line.put(entry("a", of: bob, 1, 3)) { true }
        // Waiting marks of the user go first, though the budget would allow this one now.
        _ = line.put(entry("d", of: alice, 1, 4)) { true }
        #expect(line.takeGranted().map(\.completions) == [[3]])
        var tokens = 2
        line.grantHeld { _ in
            tokens -= 1
            return tokens >= 0
        }
        #expect(line.takeGranted().map(\.completions) == [[0], [1]])
        _ = line.put(entry("c", of: alice, 9, 5)) { true }
        line.grantHeld { _ in true }
        let rest = line.takeGranted()
        #expect(rest.map(\.completions) == [[2, 5], [4]])
        #expect(rest.map(\.seq) == [9, 1])
        #expect(line.isEmpty && !line.hasHeld && !line.hasGranted)
    }

    @Test("the number of waiting threads is limited per user", arguments: [1, 2, 40])
    func bounds(limit: Int) {
        var line = Line(limit: limit)
        for number in 0..<limit {
            #expect(line.put(entry("t\(number)", of: alice, 1, number)) { false } == .waits)
        }
        #expect(line.put(entry("more", of: alice, 1, -1)) { false } == .refused)
        #expect(line.put(entry("t0", of: alice, 2, -1)) { false } == .waits)
        #expect(line.put(entry("more", of: bob, 1, -1)) { false } == .waits)
        line.grantHeld { $0.user == alice.user }
        #expect(line.put(entry("more", of: alice, 1, -1)) { false } == .waits)
        #expect(line.takeAll().count == limit + 2)
        #expect(line.isEmpty)
    }
}
