import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyModel
import ParleySession
import ParleyWire

/// What goes out to the client, within the bound of what may wait for it.
extension SocketHandler: RosterMember {
    var connection: ConnectionID { admission.connection }
    var encoding: Encoding { admission.encoding }
    var sessionToken: TokenHash? { admission.identity.session }

    func deliver(_ bytes: ByteBuffer, count: Int) {
        write(bytes)
        hasUnflushed = true
    }

    func flush() {
        guard hasUnflushed else { return }
        hasUnflushed = false
        context?.flush()
    }

    func membershipsChanged() {
        guard let thread = awaitedThread, let membership = local?.memberships[thread] else { return }
        awaitedThread = nil
        perform { $0.resolvedThread(membership, at: $1, self, &$2) }
    }

    func lostTrack(of thread: ThreadID) {
        close(.missedEvents)
    }

    func sessionRevoked() {
        close(.sessionRevoked)
    }

    /// Sends something to this client alone, at once.
    func reply(_ frame: ByteBuffer) {
        write(frame)
        openContext?.flush()
    }

    private func write(_ bytes: ByteBuffer) {
        guard let context = openContext else { return }
        guard budget.take(bytes.readableBytes, waiting: { context.waitingBytes }) else {
            gateway.metrics.cutOffSlowSocket()
            return close(.lostTrack)
        }
        gateway.metrics.sent(bytes: bytes.readableBytes)
        context.write(wrapOutboundOut(bytes), promise: nil)
    }
}
