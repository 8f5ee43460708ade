import ParleyClientCore
import ParleyMessaging
import ParleyModel
import ParleyStoreModel

/// Mutes of users in rooms, and the check of who may write.
extension World {
    /// The time within which every node must know of a mute, after the end of all faults.
    private static let notice: Int64 = 10_000_000_000

    /// Has a node mute a user in a room for a time or for good, or end the mute, at the request of an operator.
    func mute(_ user: SimulatedUser, choice: UInt64) {
        var generator = SeededGenerator(seed: choice)
        let ready = nodes.values.filter(\.isReady).sorted { $0.name < $1.name }
        guard let room = generator.element(of: rooms), let thread = ThreadID(room), let id = UserID(user.id),
            let node = generator.element(of: ready), let messaging = node.parts?.messaging
        else { return }
        let subject = User(id: id, name: user.name)
        let ends = generator.once(in: 3)
        let seconds = generator.once(in: 3) ? nil : Int64(1 + generator.below(30))
        story.tell(
            "world",
            "\(node.name) "
                + (ends
                    ? "ends the mute of \(user.name)"
                    : "mutes \(user.name) \(seconds.map { "for \($0) s" } ?? "for good")")
                + " in \(room)")
        if !ends { user.mutedRooms.insert(room) }
        node.run {
            if ends {
                try? await messaging.endSanction(.mute, of: subject, in: thread, by: .commandLine)
            } else {
                guard let request = try? SanctionRequest(.mute, seconds: seconds, reason: nil) else { return }
                _ = try? await messaging.sanction(subject, in: thread, request, by: .commandLine)
            }
        }
    }

    /// Has all users show in all of their rooms that they do not type, which a muted user may not, when everything is at
    /// rest.
    func probeMutes() {
        guard observations.violations.isEmpty, users.contains(where: { !$0.mutedRooms.isEmpty }) else { return }
        scheduler.run(until: scheduler.now + Self.notice)
        let tables = databaseServer.snapshot().tables
        let now = scheduler.wallNow / 1_000_000
        if !users.contains(where: \.isConnected) { observations.violation("no user is connected at the end") }
        for user in users where user.isConnected {
            guard let id = UserID(user.id) else { continue }
            for room in rooms where user.threads[room] != nil {
                guard let thread = ThreadID(room) else { continue }
                let mute = tables.sanctions(of: id, in: thread).mute
                // Around its end, both answers are right.
                if let until = mute?.until, abs(until - now) < 3000 { continue }
                let isMuted = mute?.isInForce(at: now) == true
                let told = user.toldMutes[room].map { $0.until.map { now < $0 } ?? true } ?? false
                if told != isMuted {
                    observations.violation(
                        "\(user.name) is \(isMuted ? "" : "not ")muted in \(room), and was told otherwise")
                }
                user.probe(room, isMuted: isMuted)
            }
        }
        let isAnswered = scheduler.run(atMost: 20_000_000_000) { users.allSatisfy { $0.requests.isEmpty } }
        if !isAnswered { observations.violation("typing in one's own rooms got no answer") }
    }
}
