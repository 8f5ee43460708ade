import NIOCore
import ParleyModel
import ParleySession
import ParleyWire

/// The users that the client watches.
extension V1SocketHandler {
    func watch(_ number: UInt64, _ users: [UserID]) {
        guard let loop = eventLoop else { return }
        watchesUsers = true
        let bound = NIOLoopBound(self, eventLoop: loop)
        gateway.presence.watch(connection, by: user.id, users) { states in
            loop.execute { bound.value.tell(states) }
        } completion: { result in
            loop.execute { bound.value.finished(number, result.map { .done }.mapError { _ in .away }) }
        }
    }

    private func tell(_ states: [UserPresence]) {
        perform { session, _, actions in
            for state in states {
                session.presence(
                    V1Presence(user: state.user, isOnline: state.isOnline, lastSeen: state.lastSeen), &actions)
            }
        }
    }
}
