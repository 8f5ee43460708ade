import ParleyMessaging
import ParleyModel

/// Mutes of users in rooms.
extension World {
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
}
