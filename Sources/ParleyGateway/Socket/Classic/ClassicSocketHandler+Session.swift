import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyMessaging
import ParleyModel
import ParleySession
import ParleyWire

/// What the session decides is done here.
extension ClassicSocketHandler: SessionOwner {
    var user: User { identity.user }

    func membership(of thread: ThreadID) -> Membership? {
        local?.memberships[thread]
    }

    func directMembership(withUserNamed name: String) -> Membership? {
        local?.directMembership(withUserNamed: name)
    }

    func perform(_ action: ClassicSession.Action) {
        switch action {
        case .append(let message): append(message)
        case .findUser(let name): findUser(name)
        case .findThread(let thread): findThread(thread)
        case .markRead(let thread):
            if let budgets { gateway.reads.markRead(thread, through: nil, budgets, isTold: false) { _ in } }
        case .replyUnknownUser(let name):
            reply(WebSocketFrame.text(DirectCodec.unknownUser(name), compressed: encoding.compressed))
        case .wake(let delay): wake(after: delay)
        case .pauseReading: if !isClosing { setReading(false) }
        case .resumeReading:
            setReading(true)
            drainParser()
        case .drop(let reason): gateway.metrics.dropped(reason)
        case .close(let reason): close(reason)
        }
    }

    private func append(_ outgoing: OutgoingMessage) {
        let (gateway, user, membership) = (gateway, user, outgoing.membership)
        let isNewThread = self.membership(of: membership.thread.id) == nil
        append(outgoing) { receipt in
            if isNewThread { gateway.announce(membership, of: user, at: receipt) }
        }
    }

    private func findUser(_ name: String) {
        let directory = gateway.directory
        ask({ try await directory.user(named: name, fresh: true) }) { handler, reply in
            handler.perform { session, now, actions in
                switch reply {
                case .some(let user): session.resolvedUser(user, at: now, handler, &actions)
                case nil: session.lookUpFailed(at: now, handler, &actions)
                }
            }
        }
    }

    /// The user may have become a member just now, and the news is still on its way.
    private func findThread(_ thread: ThreadID) {
        let (gateway, user) = (gateway, user.id)
        ask({ () -> (Membership, Int64)? in
            let memberships = try await gateway.directory.memberships(of: user)
            guard let membership = memberships.first(where: { $0.thread.id == thread }) else { return nil }
            return (membership, try await gateway.log.head(of: thread)?.position.seq ?? 0)
        }) { handler, reply in
            switch reply {
            case .some(.some((let membership, let head))): handler.awaitLive(membership, after: head)
            case .some(.none): handler.perform { $0.resolvedThread(nil, at: $1, handler, &$2) }
            case nil: handler.perform { $0.lookUpFailed(at: $1, handler, &$2) }
            }
        }
    }

    /// Makes a membership that the store has live here; `membershipsChanged` says when it is.
    private func awaitLive(_ membership: Membership, after head: Int64) {
        guard !isClosing else { return }
        let thread = membership.thread.id
        awaitedThread = thread
        gateway.fanOut.beginJoin(user.id, membership, after: head)
        later(.seconds(5)) { $0.stopAwaiting(thread) }
        // It may have come true in the meantime, and then nobody would say so again.
        membershipsChanged()
    }

    private func stopAwaiting(_ thread: ThreadID) {
        guard awaitedThread == thread else { return }
        awaitedThread = nil
        perform { $0.lookUpFailed(at: $1, self, &$2) }
    }
}
