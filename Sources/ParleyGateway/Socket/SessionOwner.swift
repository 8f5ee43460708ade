import NIOCore
import ParleyFanOut
import ParleyModel
import ParleySession

/// What the handlers of both doors do alike around their `Session`.
protocol SessionOwner: ConnectionOwner, SessionClient {
    var session: Session { get set }
    func perform(_ action: Session.Action)
}

extension SessionOwner {
    /// Takes the session one step further and performs what it answers.
    func perform(_ step: (inout Session, Int64, inout [Session.Action]) -> Void) {
        var actions: [Session.Action] = []
        let now = now
        gateway.metrics.timingSession(at: now) { step(&session, now, &actions) }
        for action in actions { perform(action) }
    }

    func wake(after microseconds: Int64) {
        later(.microseconds(microseconds)) { owner in
            owner.perform { $0.wake(at: $1, owner, &$2) }
        }
    }

    /// Sends a message off to the log.
    /// - Parameter accepted: called on any thread when the log has taken it.
    func append(_ outgoing: OutgoingMessage, accepted: @escaping @Sendable (Receipt) -> Void) {
        guard let loop = eventLoop else { return }
        let membership = outgoing.membership
        let id = outgoing.id ?? gateway.tracer.messageID(gateway.clock)
        let message = Message(id: id, sender: user, text: outgoing.text, recipient: membership.peer)
        var draft = EventDraft(thread: membership.thread.id, body: .message(message), origin: connection)
        draft.mayBeThere = outgoing.id != nil
        var outgoing = outgoing
        outgoing.id = id
        let attempt = outgoing
        let bound = NIOLoopBound(self, eventLoop: loop)
        stampSent(id)
        let (metrics, tracer, began) = (gateway.metrics, gateway.tracer, NIODeadline.now())
        gateway.log.append(draft) { result in
            if case .success(let receipt) = result {
                metrics.accepted(after: (NIODeadline.now() - began).nanoseconds)
                tracer.stamp(.appended, id)
                accepted(receipt)
            }
            loop.execute { bound.value.appended(attempt, result) }
        }
    }

    private func appended(_ outgoing: OutgoingMessage, _ result: Result<Receipt, AppendError>) {
        guard eventLoop != nil else { return }
        perform { session, now, actions in
            switch result {
            case .success:
                session.appendAccepted(at: now, self, &actions)
            case .failure(let error):
                let isRetryable = if case .unavailable = error { true } else { false }
                session.appendFailed(outgoing, isRetryable: isRetryable, at: now, self, &actions)
            }
        }
    }
}
