package import ParleyModel
import ParleyWire

extension V1Session {
    /// The connection's state when an event is passed in.
    package struct Moment: Hashable, Sendable {
        /// Microseconds by a monotonic clock.
        package let now: Int64
        /// The number of bytes in the channel that wait to be written to the kernel.
        package let waitingBytes: Int

        package init(now: Int64, waitingBytes: Int) {
            self.now = now
            self.waitingBytes = waitingBytes
        }
    }

    /// The facts that a command needs in order to begin. The owner answers with `Facts`, and fills in only what is
    /// needed.
    package struct Query: Hashable, Sendable {
        /// Take a token of this budget of the user. Before any lookup, so that lookups are limited like commands.
        package var budget: BudgetKind?
        /// The thread whose membership is needed.
        package var thread: ThreadID?
        /// The threads that a client resumes; the owner returns the ones with a membership.
        package var resumed: [ThreadID] = []
        package var needsTime = false

        init(_ command: V1Command) {
            budget = command.budget
            thread = command.thread
            switch command {
            case .resume(let threads): resumed = Array(threads.keys)
            case .ping: needsTime = true
            default: break
            }
        }
    }

    /// The owner's answer to a `Query`, given when a command begins.
    package struct Facts: Hashable, Sendable {
        package var permit = Permit.granted
        /// The user's membership of `Query.thread`; `nil` if there is none here.
        package var membership: Membership?
        /// The threads of `Query.resumed` on this node that the user is a member of, with the seq of the first event that the
        /// user sees.
        package var members: [ThreadID: Int64] = [:]
        /// Unix time.
        package var milliseconds: Int64 = 0

        package init() {}
    }
}
