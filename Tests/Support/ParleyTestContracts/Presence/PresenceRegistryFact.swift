import ParleyModel
import ParleyTestSupport
import Testing

/// The contract of `PresenceRegistry`.
package enum PresenceRegistryFact: String, CaseIterable, Sendable {
    case aConnectedUserIsOnlineForAllNodes
    case aUserIsOnlineWhileOnAnyNode
    case anUnknownUserIsOffline
    case theLastSeenTimeIsKept
    case onlyChangesArePublished
    case theLastPublishedStateIsTrue
    case aDeadNodeHasNoUsers
    case aDeadNodeOfSeveralLeavesItsUsersOnline
    case manyAtOnce
    case stampsRise

    package func check(_ fixture: some PresenceFixture) async throws {
        do {
            try await story(fixture)
        } catch {
            await fixture.stop()
            throw error
        }
        await fixture.stop()
    }

    private func story(_ fixture: some PresenceFixture) async throws {
        let (one, two) = (try await fixture.makeNode(), try await fixture.makeNode())
        let (ann, bob) = (UserID(trusted: "ann"), UserID(trusted: "bob"))
        switch self {
        case .aConnectedUserIsOnlineForAllNodes:
            one.presenceRegistry.connected(ann)
            for node in [one, two] { try await wait(node, ann, true) }
            try await wait(two, bob, false)
            one.presenceRegistry.disconnected(ann)
            for node in [one, two] { try await wait(node, ann, false) }
        case .aUserIsOnlineWhileOnAnyNode:
            one.presenceRegistry.connected(ann)
            two.presenceRegistry.connected(ann)
            two.presenceRegistry.connected(bob)
            try await wait(one, bob, true)
            one.presenceRegistry.disconnected(ann)
            one.presenceRegistry.connected(bob)
            one.presenceRegistry.disconnected(bob)
            one.presenceRegistry.connected(UserID(trusted: "last"))
            try await wait(two, UserID(trusted: "last"), true)
            for user in [ann, bob] { try #require(try await isOnline(one, user), "\(user) is with the other node") }
            two.presenceRegistry.disconnected(ann)
            try await wait(one, ann, false)
        case .anUnknownUserIsOffline:
            let states = try await one.presenceRegistry.states(of: [ann, bob])
            try #require(Set(states.map(\.user)) == [ann, bob])
            for state in states {
                try #require(!state.isOnline && state.lastSeen == nil, "\(state)")
            }
            try #require(try await one.presenceRegistry.states(of: []).isEmpty, "nobody was asked for")
        case .theLastSeenTimeIsKept:
            one.presenceRegistry.connected(ann)
            try await wait(two, ann, true)
            try #require(try await two.presenceRegistry.states(of: [ann])[0].lastSeen == nil, "while online")
            let before = WallClock.system.seconds
            one.presenceRegistry.disconnected(ann)
            try await wait(two, ann, false)
            let seen = try await two.presenceRegistry.states(of: [ann])[0].lastSeen
            try #require((before - 1...WallClock.system.seconds + 1).contains(seen ?? 0), "\(String(describing: seen))")
        case .onlyChangesArePublished:
            try await two.bus.subscribe(to: [.presence(ann)])
            one.presenceRegistry.connected(ann)
            try await two.received.wait("online") { !$0.isEmpty }
            two.presenceRegistry.connected(ann)
            one.presenceRegistry.connected(bob)
            try await wait(one, bob, true)
            one.presenceRegistry.disconnected(ann)
            one.presenceRegistry.connected(UserID(trusted: "next"))
            try await wait(one, UserID(trusted: "next"), true)
            two.presenceRegistry.disconnected(ann)
            try await two.received.wait("offline") { $0.count >= 2 }
            try await two.bus.subscribe(to: [.presence(bob)])
            one.presenceRegistry.disconnected(bob)
            try await two.received.wait("the other one") { $0.count >= 3 }
            try #require(two.heard(ann).map(\.isOnline) == [true, false], "what was heard of ann")
            try #require(two.heard(bob).map(\.isOnline) == [false], "what was heard of bob")
            try #require(two.heard(ann).last?.lastSeen != nil, "when she was last seen is published")
            try #require(one.received.elements.isEmpty, "nobody else hears of it")
        case .theLastPublishedStateIsTrue:
            try await two.bus.subscribe(to: [.presence(ann), .presence(bob)])
            for number in 0..<200 {
                let node = number % 3 == 0 ? one : two
                if number % 2 == 0 {
                    node.presenceRegistry.connected(ann)
                } else {
                    node.presenceRegistry.disconnected(ann)
                }
                if number % 40 == 0 { try await Task.sleep(for: .milliseconds(30)) }
            }
            one.presenceRegistry.disconnected(ann)
            two.presenceRegistry.disconnected(ann)
            two.presenceRegistry.connected(bob)
            try await two.received.wait("bob") { !$0.filter { $0.isPresence(of: bob) }.isEmpty }
            try await wait(one, ann, false)
            // Another user's presence may come from another host, so it does not show that ann's changes have all
            // arrived.
            let isOver = try await eventually { two.heard(ann).last?.isOnline != true }
            try #require(isOver, "the last is offline")
            let heard = two.heard(ann)
            for (earlier, later) in zip(heard, heard.dropFirst()) {
                try #require(earlier.isOnline != later.isOnline, "only changes are published")
                try #require(earlier.stamp < later.stamp, "stamps rise")
            }
        case .aDeadNodeHasNoUsers:
            one.presenceRegistry.connected(ann)
            two.presenceRegistry.connected(bob)
            try await wait(two, ann, true)
            let leases = try await two.presenceRegistry.leases()
            await one.crash()
            try await wait(two, ann, false)
            try #require(try await isOnline(two, bob), "the other node lives")
            let left = try await two.presenceRegistry.leases()
            try #require(left.isStrictSubset(of: leases) && !left.isEmpty, "\(left) of \(leases)")
        case .aDeadNodeOfSeveralLeavesItsUsersOnline:
            one.presenceRegistry.connected(ann)
            two.presenceRegistry.connected(ann)
            try await wait(two, ann, true)
            let leases = try await two.presenceRegistry.leases()
            await one.crash()
            let isGone = try await eventually(within: .seconds(20)) {
                try await two.presenceRegistry.leases() != leases
            }
            try #require(isGone, "the lease is over")
            try #require(try await isOnline(two, ann), "ann is with the other node")
            two.presenceRegistry.disconnected(ann)
            try await wait(two, ann, false)
        case .manyAtOnce:
            let users = (0..<1500).map { UserID(trusted: "u\($0)") }
            for user in users { one.presenceRegistry.connected(user) }
            for user in users.prefix(500) { one.presenceRegistry.disconnected(user) }
            let isDone = try await eventually {
                let states = try await two.presenceRegistry.states(of: users)
                let online = Set(states.filter(\.isOnline).map(\.user))
                return states.count == users.count && online == Set(users.dropFirst(500))
            }
            try #require(isDone, "a thousand are online")
        case .stampsRise:
            var last: Int64 = .min
            for _ in 0..<20 {
                let stamp = try await one.presenceRegistry.states(of: [ann])[0].stamp
                try #require(stamp > last, "\(stamp) after \(last)")
                last = stamp
            }
        }
    }

    private func isOnline(_ node: PresenceNode, _ user: UserID) async throws -> Bool {
        try await node.presenceRegistry.states(of: [user]).first?.isOnline == true
    }

    private func wait(_ node: PresenceNode, _ user: UserID, _ isOnline: Bool) async throws {
        let isReached = try await eventually(within: .seconds(20)) { try await self.isOnline(node, user) == isOnline }
        try #require(isReached, "\(user) is \(isOnline ? "online" : "offline")")
    }
}

extension BusSignal {
    fileprivate func isPresence(of user: UserID) -> Bool {
        if case .presence(let presence) = self { presence.user == user } else { false }
    }
}
