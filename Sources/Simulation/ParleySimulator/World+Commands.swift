import ParleyAccounts
import ParleyMessaging
import ParleyModel

/// The commands of a plan.
extension World {
    func perform(_ command: Plan.Command) {
        guard users.indices.contains(command.user) else { return }
        switch command.kind {
        case .rename: rename(command.choice)
        case .visibility: changeVisibility(choice: command.choice)
        case .mute: mute(users[command.user], choice: command.choice)
        case .suspend: suspend(users[command.user], choice: command.choice)
        case .ban: ban(users[command.user], choice: command.choice)
        case .rights: changeRights(choice: command.choice)
        case .block: block(by: users[command.user], choice: command.choice)
        case .group, .invite, .request, .link:
            changeEntrance(command.kind, of: users[command.user], choice: command.choice)
        case .send, .sendStored, .read, .edit, .delete, .react, .reconnect, .knock:
            users[command.user].perform(
                command.kind, choice: command.choice, rooms: rooms, scheduler.wallNow / 1_000_000)
        }
    }

    /// The owner of a room gives it a title that no room has had, over REST.
    private func rename(_ choice: UInt64) {
        var generator = SeededGenerator(seed: choice)
        let gateways = plan.gatewayNames.compactMap { nodes[$0] }.filter(\.isReady)
        guard let room = generator.element(of: rooms), let thread = ThreadID(room), let owner = owners[room],
            let node = generator.element(of: gateways), let messaging = node.parts?.messaging
        else { return }
        let title = "title \(choice)"
        node.run { [self] in
            do {
                let caller = Caller(Identity(user: owner, credential: .password))
                try await messaging.rename(thread, to: title, by: caller)
                story.tell(node.name, "\(room) is renamed \(title)")
                observations.renamed.append((thread: room, title: title))
            } catch {
                story.tell(node.name, "\(room) may not be renamed \(title): \(error)")
            }
        }
    }
}
