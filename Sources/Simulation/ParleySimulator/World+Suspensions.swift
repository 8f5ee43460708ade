import ParleyMessaging
import ParleyModel
import ParleyStoreModel

/// Suspensions of users, and the check that they hold at every node.
extension World {
    /// The time within which every node must have ended the sockets of suspended users, after the end of all faults.
    private static let notice: Int64 = 10_000_000_000
    /// The time in which such a socket may still answer, since it takes frames until it is closed.
    private static let answer: Int64 = 3_000_000_000

    /// Has a node suspend a user for a time or for good, or end the suspension, at the request of an operator.
    func suspend(_ user: SimulatedUser, choice: UInt64) {
        var generator = SeededGenerator(seed: choice)
        let ready = nodes.values.filter(\.isReady).sorted { $0.name < $1.name }
        guard let id = UserID(user.id), let node = generator.element(of: ready), let messaging = node.parts?.messaging
        else { return }
        let subject = User(id: id, name: user.name)
        let ends = generator.once(in: 3)
        let seconds = generator.once(in: 3) ? nil : Int64(1 + generator.below(30))
        let time = seconds.map { "for \($0) s" } ?? "for good"
        story.tell(
            "world", "\(node.name) " + (ends ? "ends the suspension of \(user.name)" : "suspends \(user.name) \(time)"))
        if !ends { user.mayBeSuspended = true }
        node.run {
            if ends {
                try? await messaging.endSuspension(of: subject, by: .commandLine)
            } else {
                guard let request = try? SuspensionRequest(seconds: seconds, reason: nil) else { return }
                _ = try? await messaging.suspend(subject, request, by: .commandLine)
            }
        }
    }

    /// Checks, when all faults have ended, that no node still serves a suspended user. Then ends all suspensions, so that
    /// these users come to rest like all others.
    func endSuspensions() {
        guard users.contains(where: \.mayBeSuspended) else { return }
        scheduler.run(until: scheduler.now + Self.notice)
        for user in suspendedUsers() { user.probeSuspension() }
        scheduler.run(until: scheduler.now + Self.answer)
        for _ in 0..<60 {
            let suspended = suspendedUsers()
            if suspended.isEmpty { return }
            for user in suspended { end(user) }
            scheduler.run(until: scheduler.now + 1_000_000_000)
        }
        observations.violation("suspensions could not be ended")
    }

    /// The users whose suspension lasts long enough that a probe is not answered after its end.
    private func suspendedUsers() -> [SimulatedUser] {
        let tables = databaseServer.snapshot().tables
        let now = scheduler.wallNow / 1_000_000
        return users.filter { user in
            guard let id = UserID(user.id), let suspension = tables.users[id]?.suspension?.suspension else {
                return false
            }
            return suspension.isInForce(at: now + 2 * Self.answer / 1_000_000)
        }
    }

    private func end(_ user: SimulatedUser) {
        let ready = nodes.values.filter(\.isReady).sorted { $0.name < $1.name }
        guard let id = UserID(user.id), let node = ready.first, let messaging = node.parts?.messaging else { return }
        let subject = User(id: id, name: user.name)
        node.run { try? await messaging.endSuspension(of: subject, by: .commandLine) }
    }
}
