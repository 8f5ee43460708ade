import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyMessaging
import ParleyModel
import ParleySession
import ParleyWire

/// Threads that were looked up because the user is not in them here, and may have come in just now.
struct AwaitedThreads {
    /// Which look-up this is, so that a late timer of another one is known.
    let number: UInt64
    /// Memberships that the store has and that are being made live.
    var pending: Set<ThreadID>
    var access: [ThreadID: ThreadAccess]
}

/// Looking up threads and their messages, and going in and out of them.
extension V1SocketHandler {
    /// How long it may take to make a membership live.
    private static let timeout = TimeAmount.seconds(5)

    /// The user may have become a member just now, and the news is still on its way.
    func find(_ threads: [ThreadID]) {
        let (gateway, user) = (gateway, user.id)
        ask({ () -> (access: [ThreadID: ThreadAccess], found: [(Membership, Int64)]) in
            let memberships = try await gateway.directory.memberships(of: user)
            let known = Dictionary(memberships.map { ($0.thread.id, $0) }) { first, _ in first }
            var access: [ThreadID: ThreadAccess] = [:]
            var found: [(Membership, Int64)] = []
            for thread in threads {
                if let membership = known[thread] {
                    found.append((membership, try await gateway.log.head(of: thread)?.position.seq ?? 0))
                } else {
                    access[thread] = try await gateway.directory.thread(thread) == nil ? .unknown : .stranger
                }
            }
            return (access, found)
        }) { handler, reply in
            guard let reply else { return handler.found(nil) }
            handler.awaitLive(reply.found, reply.access)
        }
    }

    private func awaitLive(_ found: [(membership: Membership, head: Int64)], _ access: [ThreadID: ThreadAccess]) {
        guard !isClosing else { return }
        loader += 1
        let number = loader
        awaited = AwaitedThreads(
            number: number, pending: Set(found.map(\.membership.thread.id)), access: access)
        for (membership, head) in found where self.membership(of: membership.thread.id) == nil {
            gateway.fanOut.beginJoin(user.id, membership, after: head)
        }
        later(Self.timeout) { handler in
            guard handler.awaited?.number == number else { return }
            handler.awaited = nil
            handler.found(nil)
        }
        // They may have come true in the meantime, and then nobody would say so again.
        answerAwaited()
    }

    /// Tells the session when all that was looked up is live.
    func answerAwaited() {
        guard var awaited else { return }
        for thread in awaited.pending {
            guard let membership = membership(of: thread) else { continue }
            awaited.pending.remove(thread)
            awaited.access[thread] = .member(membership)
        }
        self.awaited = awaited.pending.isEmpty ? nil : awaited
        guard awaited.pending.isEmpty else { return }
        let access = awaited.access
        soon { $0.found(access) }
    }

    private func found(_ access: [ThreadID: ThreadAccess]?) {
        perform { $0.foundThreads(access, at: $1, self, &$2) }
    }

    // MARK: Going in and out

    func join(_ number: UInt64, title: String) {
        let (changes, user) = (gateway.stateChanges, user)
        ask({ () -> Result<V1Outcome, V1Failure> in
            do throws(MessagingError) {
                let entrance = try await changes.join(user, roomTitled: title)
                return .success(entrance.receipt.map { .entered($0) } ?? .thread(entrance.membership.thread.id))
            } catch {
                return .failure(V1Failure(error))
            }
        }) { handler, reply in handler.finished(number, reply ?? .failure(.away)) }
    }

    func leave(_ number: UInt64, _ thread: ThreadID) {
        let (changes, user) = (gateway.stateChanges, user)
        ask({ () -> Result<V1Outcome, V1Failure> in
            do throws(MessagingError) {
                return .success(try await changes.leave(thread, user).map { .entered($0) } ?? .thread(thread))
            } catch {
                return .failure(V1Failure(error))
            }
        }) { handler, reply in
            if case .success? = reply {
                // The news may still be on its way here, and the commands behind this one are those of a stranger.
                handler.local?.beginLeaving(thread)
                // It may be older than another join, and then this is found out.
                handler.gateway.changes.look(at: handler.user.id, isUrgent: false)
            }
            handler.finished(number, reply ?? .failure(.away))
        }
    }
}
