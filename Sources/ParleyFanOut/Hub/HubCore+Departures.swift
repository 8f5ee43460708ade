import NIOCore
import ParleyModel

/// A user of this node is a member of a thread no more, and has not been shown the own `left`.
struct PendingLeave {
    /// Somebody took the user into the thread again meanwhile.
    struct Return {
        let membership: Membership
        let after: Int64
        let completion: (() -> Void)?
    }

    /// Names it: the user may come back and leave once more before its time is over.
    let number: UInt64
    let user: UserID
    /// Where the `left` stands; `nil` while nobody has said so, and then the next one of the user is meant.
    var left: Position?
    /// Carried out when the departure is over.
    var returns: [Return] = []

    /// Whether what is delivered next lies behind the `left`, which will not come any more.
    fileprivate func isOver(before event: LogEvent) -> Bool {
        guard let left else { return false }
        return left.epoch != event.position.epoch || left.seq < event.position.seq
    }

    /// Whether the event is the `left`.
    fileprivate func isOver(with event: LogEvent) -> Bool {
        if let left { return left == event.position }
        guard case .left(let member, _) = event.body else { return false }
        return member.id == user
    }
}

/// How users go out of threads: behind their own `left`.
///
/// The channel of a user and that of a thread have no common order, and may be on different hosts. So a user who is told to
/// be out has no rights from that moment on, and no events from the moment on at which the `left` has been delivered,
/// something behind it is about to be, or `farewell` is over, whichever is first.
extension HubCore {
    /// A user is told to be out of a thread.
    /// - Parameter left: where the log says so; `nil` if it does not, and then it is done at once.
    func remove(_ user: UserID, from thread: ThreadID, behind left: Position?) {
        endPendingJoins(of: user, in: thread)
        forgetReturns(of: user, to: thread)
        if let left, isToCome(left, in: thread) { return awaitLeft(left, of: user, in: thread) }
        pendingLeaves[thread]?.removeAll { $0.user == user }
        if pendingLeaves[thread]?.isEmpty == true { pendingLeaves[thread] = nil }
        sendToUser(user, .removed(user, thread))
    }

    /// The store has no membership any more that loops have; they know that there are no rights.
    func foundOver(_ user: UserID, in thread: ThreadID) {
        let isComingBack = topics[.thread(thread)]?.pendingJoins.contains { $0.user == user } ?? false
        if !isComingBack, topics[.thread(thread)] != nil { return awaitLeft(nil, of: user, in: thread) }
        sendToUser(user, .hasLeft(user, thread))
    }

    /// Keeps an adoption for later if the user is still on the way out of the thread.
    /// - Returns: whether it is kept.
    func keep(_ back: PendingLeave.Return, of user: UserID) -> Bool {
        let thread = back.membership.thread.id
        guard let index = pendingLeaves[thread]?.firstIndex(where: { $0.user == user }) else { return false }
        pendingLeaves[thread]?[index].returns.append(back)
        return true
    }

    /// An event is about to be delivered.
    func endPendingLeaves(before event: LogEvent) {
        endPendingLeaves(in: event.thread) { $0.isOver(before: event) }
    }

    /// An event was delivered.
    func endPendingLeaves(with event: LogEvent) {
        endPendingLeaves(in: event.thread) { $0.isOver(with: event) }
    }

    func endPendingLeaves(in thread: ThreadID, where isOver: (PendingLeave) -> Bool = { _ in true }) {
        guard let pending = pendingLeaves[thread] else { return }
        let over = pending.filter(isOver)
        guard !over.isEmpty else { return }
        let rest = pending.filter { !isOver($0) }
        pendingLeaves[thread] = rest.isEmpty ? nil : rest
        for pendingLeave in over {
            sendToUser(pendingLeave.user, .hasLeft(pendingLeave.user, thread))
            for back in pendingLeave.returns {
                beginJoin(pendingLeave.user, back.membership, after: back.after, completion: back.completion)
            }
        }
    }

    private func isToCome(_ left: Position, in thread: ThreadID) -> Bool {
        guard let topic = topics[.thread(thread)] else { return false }
        guard let delivered = topic.gate.delivered else { return true }
        return delivered.epoch == left.epoch && delivered.seq < left.seq
    }

    private func awaitLeft(_ left: Position?, of user: UserID, in thread: ThreadID) {
        if let index = pendingLeaves[thread]?.firstIndex(where: { $0.user == user }) {
            if pendingLeaves[thread]?[index].left == nil { pendingLeaves[thread]?[index].left = left }
            return
        }
        pendingLeaveCount += 1
        let number = pendingLeaveCount
        pendingLeaves[thread, default: []].append(PendingLeave(number: number, user: user, left: left))
        sendToUser(user, .leaving(user, thread))
        fanOut.home.scheduleTask(in: leaveTimeout) { [fanOut] in
            fanOut.onHub { hub in hub.endPendingLeaves(in: thread) { $0.number == number } }
        }
    }

    /// Who came back has left once more.
    private func forgetReturns(of user: UserID, to thread: ThreadID) {
        guard let index = pendingLeaves[thread]?.firstIndex(where: { $0.user == user }) else { return }
        let returns = pendingLeaves[thread]?[index].returns ?? []
        pendingLeaves[thread]?[index].returns = []
        for back in returns { back.completion?() }
    }
}
