import NIOCore
import ParleyFanOut
import ParleyMessaging
import ParleyModel
import ParleySession

/// What the handlers of both doors do alike around their `Session`.
protocol SessionOwner: ConnectionOwner, SessionClient {
    var session: ClassicSession { get set }
    func perform(_ action: ClassicSession.Action)
}

extension SessionOwner {
    /// Takes the session one step further and performs what it answers.
    func perform(_ step: (inout ClassicSession, Int64, inout [ClassicSession.Action]) -> Void) {
        var actions: [ClassicSession.Action] = []
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
        var draft: EventDraft
        do {
            draft = try gateway.commands.rules.draft(of: message, as: membership, from: connection)
        } catch {
            return soon { $0.refused(DropReason(error)) }
        }
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
            case .failure(.unavailable):
                session.appendFailed(outgoing, at: now, self, &actions)
            case .failure(let error):
                session.appendRefused(DropReason(MessagingError(error)), at: now, self, &actions)
            }
        }
    }

    private func refused(_ reason: DropReason) {
        perform { $0.appendRefused(reason, at: $1, self, &$2) }
    }

    /// Why a text cannot be sent; `nil` if it can. Asked when it comes, so that it does not wait with others.
    func rejection(of text: String) -> DropReason? {
        do {
            try gateway.commands.rules.check(text)
            return nil
        } catch {
            return DropReason(error)
        }
    }
}
