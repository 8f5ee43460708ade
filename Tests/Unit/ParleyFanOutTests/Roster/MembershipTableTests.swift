import ParleyFanOut
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("The memberships of a user")
struct MembershipTableTests {
    private func membership(_ number: Int, _ role: Membership.Role = .member) -> Membership {
        Membership(
            thread: ThreadInfo(id: ThreadID(trusted: "t\(number)"), kind: .room, title: "room \(number)"), role: role)
    }

    @Test("are what a dictionary would say, be they few or many", arguments: [1, 2, 8, 9, 30])
    func model(threads: Int) {
        var random = SeededGenerator(UInt64(threads))
        var table = MembershipTable()
        var model: [ThreadID: Membership] = [:]
        for _ in 0..<2000 {
            let one = membership(
                Int.random(in: 0..<threads, using: &random), Bool.random(using: &random) ? .member : .owner)
            let id = one.thread.id
            if Int.random(in: 0..<3, using: &random) == 0 {
                #expect(table.remove(id) == model.removeValue(forKey: id))
            } else {
                table.insert(SharedMembership(one))
                model[id] = one
            }
            #expect(table[id] == model[id])
            #expect(table.all.count == model.count)
            #expect(Set(table.all) == Set(model.values))
        }
    }
}
