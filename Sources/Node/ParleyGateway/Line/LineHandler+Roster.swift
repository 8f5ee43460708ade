import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyMessaging
import ParleyModel
import ParleySession
import ParleyWire

/// The connection, as its driver needs it.
extension LineHandler: ClassicConnection {
    var isClosing: Bool { !isOpen }
    var user: User { guest?.user ?? User(id: GuestID.make(name: ""), name: "") }
    var caller: Caller { Caller(user, of: id) }
    var budgets: UserBudgets? { guest?.budgets }

    func membership(of thread: ThreadID) -> Membership? {
        thread == lobby.thread.id ? guest?.local.memberships[thread] ?? lobby : nil
    }
    func directMembership(withUser text: String) -> Membership? { nil }
    func foundByName(_ name: String) {}
    func isBlocked(_ other: UserID) -> Bool { false }

    func take(_ kind: BudgetKind, at now: Int64) -> Permit {
        budgets?.take(kind, at: now) ?? .granted
    }

    // Whether to read depends on more than the session.
    func pauseReading() { drainLines() }
    func resumeReading() { drainLines() }
    /// Guests have no direct threads.
    func replyUnknownUser(_ name: String) {}
    func close(_ reason: CloseReason) { context?.close(promise: nil) }
}

extension LineHandler: RosterMember {
    var connection: ConnectionID { id }
    var sessionToken: TokenHash? { nil }

    func deliver(_ frames: FrameBatch, in thread: ThreadID) {
        write(frames.bytes)
        hasUnflushed = true
    }

    func flush() {
        guard hasUnflushed else { return }
        hasUnflushed = false
        context?.flush()
    }

    func memberAdded(_ membership: Membership, after end: Position?) {}
    func muteChanged(_ membership: Membership) {}
    func memberRemoved(_ membership: Membership) {}
    func membershipsChanged() {}
    func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch) {}
    func renumbered(_ thread: ThreadID, _ renumbering: Renumbering) {}
    func available(_ thread: ThreadID, after end: Position?) {}
    /// Guests are shown no history, so missing events are not reported.
    func lostTrack(of thread: ThreadID) {}
    func sessionRevoked() {}
    /// Guests are not users.
    func suspended(_ suspension: Suspension) {}
}

/// The state of the connection for operators.
extension LineHandler {
    var status: ConnectionStatus {
        ConnectionStatus(
            connection: id, dialect: .line, credential: "guest", address: context?.remoteAddress?.ipAddress ?? "",
            silentSeconds: max(0, (NIODeadline.now() - lastRead).nanoseconds / 1_000_000_000),
            waitingBytes: context?.waitingBytes ?? 0)
    }
}
