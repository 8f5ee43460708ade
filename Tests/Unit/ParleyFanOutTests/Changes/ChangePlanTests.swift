import ParleyFanOut
import ParleyModel
import Testing

@Suite("What a node has still to find out")
struct ChangePlanTests {
    private let ann = UserID(trusted: "ann")
    private let bob = UserID(trusted: "bob")
    private let key = TokenHash("key")

    private func page(
        _ users: [UserID] = [], keys: [TokenHash] = [], profiles: [UserID] = [], mark: String, isReset: Bool = false
    ) -> ChangePage {
        ChangePage(users: users, apiKeys: keys, profiles: profiles, mark: ChangeMark(mark), isReset: isReset)
    }

    @Test("the first answer and a reset leave everything open, others name whom to look at")
    func responses() {
        var plan = ChangePlan()
        #expect(plan.isAnew(page(mark: "1")))
        plan.received(page(mark: "1"), present: [ann])
        #expect(plan.take(limit: 10) == [ann])
        #expect(plan.takeKeys() == .all)
        #expect(!plan.isAnew(page([bob], mark: "2")))
        plan.received(page([ann, bob], mark: "2"), present: [bob])
        #expect(plan.mark == ChangeMark("2"))
        #expect(plan.take(limit: 10) == [bob])
        #expect(!plan.hasUsers)
        #expect(plan.takeKeys() == .none)
        plan.received(page(mark: "9", isReset: true), present: [ann, bob])
        #expect(Set(plan.take(limit: 10)) == [ann, bob])
        #expect(plan.takeKeys() == .all)
    }

    @Test("users of events come before the others, and nobody is looked at twice for two reasons")
    func order() {
        var plan = ChangePlan()
        plan.received(page(mark: "1", isReset: true), present: [ann])
        plan.add(bob)
        plan.add(bob)
        #expect(plan.take(limit: 1) == [bob])
        #expect(plan.hasUsers)
        #expect(plan.take(limit: 1) == [ann])
        #expect(!plan.hasUsers)
    }

    @Test("what could not be done waits for the next tick")
    func unfinished() {
        var plan = ChangePlan()
        plan.addUnfinished([ann])
        #expect(!plan.hasUsers)
        plan.tick()
        #expect(plan.take(limit: 10) == [ann])
        plan.tick()
        #expect(!plan.hasUsers)
    }

    @Test("a new profile is announced at once, and another one of the same user after the next tick")
    func profiles() {
        var plan = ChangePlan()
        plan.received(page(mark: "1"), present: [])
        plan.received(page(profiles: [ann], mark: "2"), present: [])
        #expect(plan.hasUsers)
        #expect(plan.takeProfiles(limit: 10) == [ann])
        plan.received(page(profiles: [ann, bob], mark: "3"), present: [])
        #expect(plan.takeProfiles(limit: 10) == [bob])
        #expect(!plan.hasUsers)
        #expect(plan.takeProfiles(limit: 10).isEmpty)
        plan.tick()
        #expect(plan.hasUsers)
        #expect(plan.takeProfiles(limit: 10) == [ann])
        // One that could not be read waits as long.
        plan.add(profiles: [ann])
        #expect(!plan.hasUsers)
        plan.tick()
        #expect(plan.takeProfiles(limit: 10) == [ann])
    }

    @Test("profiles are announced in batches")
    func manyProfiles() {
        var plan = ChangePlan()
        plan.received(page(profiles: [ann, bob], mark: "1"), present: [])
        let first = plan.takeProfiles(limit: 1)
        #expect(plan.hasUsers)
        #expect(Set(first + plan.takeProfiles(limit: 1)) == [ann, bob])
    }

    @Test("a changed API key is looked for at once and for some ticks more")
    func keys() {
        var plan = ChangePlan()
        plan.received(page(mark: "1"), present: [])
        _ = plan.takeKeys()
        plan.received(page(keys: [key], mark: "2"), present: [])
        #expect(plan.takeKeys() == .some([key]))
        #expect(plan.takeKeys() == .none)
        for _ in 0..<ChangePlan.keyTicks {
            plan.tick()
            #expect(plan.takeKeys() == .some([key]))
        }
        plan.tick()
        #expect(plan.takeKeys() == .none)
        plan.addUnfinished(.some([key]))
        plan.tick()
        #expect(plan.takeKeys() == .some([key]))
        plan.addUnfinished(.all)
        #expect(plan.takeKeys() == .all)
    }
}
