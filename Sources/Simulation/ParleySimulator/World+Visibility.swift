import ParleyMessaging
import ParleyModel

/// Changes of the visibility of rooms, and the check of what other users are told.
extension World {
    /// Has a node change the visibility of a room at the request of an operator, as over REST.
    func changeVisibility(choice: UInt64) {
        var generator = SeededGenerator(seed: choice)
        let ready = nodes.values.filter(\.isReady).sorted { $0.name < $1.name }
        guard let room = generator.element(of: rooms).flatMap({ ThreadID($0) }),
            let visibility = generator.element(of: RoomVisibility.allCases),
            let node = generator.element(of: ready), let messaging = node.parts?.messaging
        else { return }
        story.tell("world", "\(node.name) makes \(room) \(visibility.rawValue)")
        let number = roomViews.begin(on: node)
        node.run { [roomViews] in
            _ = try? await messaging.setVisibility(visibility, of: room, by: .commandLine)
            roomViews.end(number)
        }
    }

    /// Has all users knock at the rooms that they are not in, when everything is at rest.
    func knockEverywhere() {
        guard observations.violations.isEmpty else { return }
        for user in users {
            for room in rooms { user.knock(at: room) }
        }
        let isAnswered = scheduler.run(atMost: 20_000_000_000) { users.allSatisfy { $0.requests.isEmpty } }
        if !isAnswered { observations.violation("commands about rooms of others got no answer") }
    }
}
