import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyMessaging
import ParleyModel
import ParleySession
import ParleyWire

/// Threads that were looked up because the user is not a member here, and may have joined just now.
final class AwaitedThreads {
    /// The number of the lookup, by which the timer of an earlier one is recognised.
    let number: UInt32
    /// Threads whose stored membership is being made live.
    var pending: Set<ThreadID>
    var access: [ThreadID: ThreadAccess]

    init(number: UInt32, pending: Set<ThreadID>, access: [ThreadID: ThreadAccess]) {
        self.number = number
        self.pending = pending
        self.access = access
    }
}

/// Looks up threads, joins and leaves.
extension V1Driver {
    /// The time limit for a membership to become live.
    private static let joinTimeout = TimeAmount.seconds(5)

    /// Looks threads up in the store: the user may have joined them just now, before the event has arrived here.
    func find(_ threads: [ThreadID]) {
        let (messaging, user) = (services.messaging, user.id)
        loop.request(
            for: self,
            { () -> (access: [ThreadID: ThreadAccess], found: [(Membership, Int64)]) in
                var access = try await messaging.access(of: user, to: threads)
                var found: [(Membership, Int64)] = []
                // A membership whose start is unknown becomes live when that is stored; nothing is shown before.
                for case .member(let membership) in access.values where membership.start?.isKnown ?? true {
                    access[membership.thread.id] = nil
                    found.append((membership, try await messaging.end(of: membership.thread.id)?.seq ?? 0))
                }
                return (access, found)
            }
        ) { driver, reply in
            guard let reply else { return driver.found(nil) }
            driver.awaitLive(reply.found, reply.access)
        }
    }

    private func awaitLive(_ found: [(membership: Membership, head: Int64)], _ access: [ThreadID: ThreadAccess]) {
        guard !connection.isClosing else { return }
        lookups &+= 1
        let number = lookups
        awaited = AwaitedThreads(
            number: number, pending: Set(found.map(\.membership.thread.id)), access: access)
        for (membership, head) in found where connection.membership(of: membership.thread.id) == nil {
            services.delivery.fanOut.beginJoin(user.id, membership, after: head)
        }
        loop.later(Self.joinTimeout, for: self) { driver in
            guard driver.awaited?.number == number else { return }
            driver.awaited = nil
            driver.found(nil)
        }
        // The memberships may be live already; then nothing reports it again.
        resolveAwaited()
    }

    /// Replies to the session when all threads that were looked up are live.
    func resolveAwaited() {
        guard let awaited else { return }
        for thread in awaited.pending {
            guard let membership = connection.membership(of: thread) else { continue }
            awaited.pending.remove(thread)
            awaited.access[thread] = .member(membership)
        }
        guard awaited.pending.isEmpty else { return }
        self.awaited = nil
        let access = awaited.access
        loop.soon(for: self) { $0.found(access) }
    }

    private func found(_ access: [ThreadID: ThreadAccess]?) {
        step { $0.foundThreads(access, at: $1, &$2) }
    }

    // MARK: Join and leave

    func join(_ number: UInt64, title: String) {
        let (messaging, caller) = (services.messaging, connection.caller)
        loop.request(
            for: self,
            { () -> Result<V1Outcome, V1Failure> in
                do throws(MessagingError) {
                    let entrance = try await messaging.join(roomTitled: title, by: caller)
                    return .success(entrance.receipt.map { .entered($0) } ?? .thread(entrance.membership.thread.id))
                } catch {
                    return .failure(V1Failure(error))
                }
            }
        ) { driver, reply in driver.finished(number, reply ?? .failure(.unavailable)) }
    }

    func leave(_ number: UInt64, _ thread: ThreadID) {
        let (messaging, caller) = (services.messaging, connection.caller)
        loop.request(
            for: self,
            { () -> Result<V1Outcome, V1Failure> in
                do throws(MessagingError) {
                    return .success(
                        try await messaging.leave(thread, by: caller).map { .entered($0) } ?? .thread(thread))
                } catch {
                    return .failure(V1Failure(error))
                }
            }
        ) { driver, reply in
            if case .success? = reply {
                // The event may not have arrived here yet; the client's next commands are treated like a non-member's.
                driver.connection.local?.beginLeaving(thread)
                // The user may have joined again in the meantime.
                driver.services.delivery.changes.recheck(driver.user.id, isUrgent: false)
            }
            driver.finished(number, reply ?? .failure(.unavailable))
        }
    }
}
