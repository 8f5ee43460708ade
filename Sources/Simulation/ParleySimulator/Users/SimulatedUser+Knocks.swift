import ParleyClientCore
import ParleyModel

/// Commands about rooms that the user is not in.
extension SimulatedUser {
    /// Sends a command about a room of others that has no effect.
    func knock(at room: String) {
        guard isConnected, threads[room] == nil else { return }
        command(.typing(thread: room, isOn: false), for: .knock(room: room, observations.view(room)))
    }

    /// Sends a command that has no effect, and that a user may not give who may not write.
    func probe(_ room: String, mayWrite: Bool) {
        command(.typing(thread: room, isOn: false), for: .probe(room: room, mayWrite: mayWrite))
    }

    /// Sends a command that has no effect, if there is a connection, which a suspended user must not have.
    func probeSuspension() {
        guard isConnected, let room = threads.keys.min() else { return }
        command(.typing(thread: room, isOn: false), for: .suspended)
    }

    /// Checks the refusal. A private room must not exist for the user, and any other room exists.
    /// - Parameter view: The room when the command was sent.
    func knocked(at room: String, _ view: RoomView, _ refusal: ServerFrame.Refusal) {
        guard !refusal.isRetryable else { return }
        // A user who has entered in the meantime may have no right to write.
        if refusal.code == .forbidden, !view.isFinal, mutedRooms.contains(room) { return }
        guard [.notFound, .notAMember].contains(refusal.code) else {
            return observations.violation("\(name) is refused \(refusal.code.rawValue) about a room of others, \(room)")
        }
        // With a change in between, both answers are right.
        let now = observations.view(room)
        guard now == view, !now.isChanging, (refusal.code == .notFound) != now.isHidden else { return }
        observations.violation(
            "\(name) is told \(refusal.code.rawValue) about \(room), which is \(now.visibility?.rawValue ?? "gone")")
    }
}
