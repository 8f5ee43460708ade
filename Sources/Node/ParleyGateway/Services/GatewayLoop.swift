import NIOCore
package import ParleyFanOut
package import ParleyModel
import ParleySockets

/// The member registry of one event loop, where connections register for delivery. Bound to that loop.
package protocol MemberRegistry: AnyObject {
    /// - Returns: the user's state on this loop; `nil` if there is no reservation for the socket.
    func register(_ socket: any RosterMember, of user: UserID) -> LocalUser?
    func unregister(_ socket: any RosterMember, of user: LocalUser)
}

extension LoopRoster: MemberRegistry {}

/// The state that all connections of one event loop share. Bound to that loop.
final class GatewayLoop {
    /// The index of the loop in the fan-out.
    let index: Int
    let eventLoop: any EventLoop
    let members: any MemberRegistry
    let heartbeats: HeartbeatWheel
    let poller: SocketPoller
    /// Runs tasks of this loop that are short between their awaits.
    let executor: LoopExecutor
    var connections = ConnectionTable()
    private let work: WorkPool

    /// - Throws: `IOError` if epoll_create1(2) fails.
    init(index: Int, eventLoop: any EventLoop, members: any MemberRegistry, work: WorkPool) throws {
        self.index = index
        self.eventLoop = eventLoop
        self.members = members
        self.work = work
        heartbeats = HeartbeatWheel(loop: eventLoop)
        poller = try SocketPoller(eventLoop: eventLoop)
        executor = LoopExecutor(eventLoop)
    }

    /// Submits work to the pool.
    /// - Returns: `false` if the pool is full.
    @discardableResult
    func submit(on executor: LoopExecutor? = nil, _ work: @escaping WorkPool.Work) -> Bool {
        self.work.submit(on: executor, work)
    }
}

/// A connection or its session driver, bound to an event loop.
protocol LoopBound: AnyObject, SendableMetatype {
    /// `false` before the connection begins and once it is gone.
    var isOpen: Bool { get }
}

/// Deferred work of connections, which always returns to the loop.
extension GatewayLoop {
    /// Calls `body` after a delay, if the connection is still open then.
    func later<Owner: LoopBound>(
        _ delay: TimeAmount, for owner: Owner, _ body: @escaping @Sendable (Owner) -> Void
    ) {
        guard owner.isOpen else { return }
        let bound = NIOLoopBound(owner, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: delay) {
            if bound.value.isOpen { body(bound.value) }
        }
    }

    /// Calls `body` after the current turn of the loop, if the connection is still open then.
    func soon<Owner: LoopBound>(for owner: Owner, _ body: @escaping @Sendable (Owner) -> Void) {
        guard owner.isOpen else { return }
        let bound = NIOLoopBound(owner, eventLoop: eventLoop)
        eventLoop.execute {
            if bound.value.isOpen { body(bound.value) }
        }
    }

    /// A function for any thread that calls `body` on the loop, even if the connection is gone by then.
    func callback<Owner: LoopBound, Value: Sendable>(
        to owner: Owner, _ body: @escaping @Sendable (Owner, Value) -> Void
    ) -> @Sendable (Value) -> Void {
        let (bound, eventLoop) = (NIOLoopBound(owner, eventLoop: eventLoop), eventLoop)
        return { value in
            eventLoop.execute { body(bound.value, value) }
        }
    }

    /// Runs an asynchronous request in the work pool and calls `completion` with its reply, `nil` if it failed. The
    /// completion is called even if the connection is gone by then.
    /// - Parameter executor: where the request runs; on any thread if not given.
    func request<Owner: LoopBound, Reply: Sendable>(
        for owner: Owner, on executor: LoopExecutor? = nil,
        _ request: @escaping @Sendable () async throws -> Reply,
        _ completion: @escaping @Sendable (Owner, Reply?) -> Void
    ) {
        guard owner.isOpen else { return }
        let complete = callback(to: owner, completion)
        if !submit(on: executor, { complete(try? await request()) }) { complete(nil) }
    }
}

extension NIODeadline {
    /// Microseconds by a monotonic clock, the time that sessions and budgets count in.
    var microseconds: Int64 { Int64(clamping: uptimeNanoseconds / 1000) }
}
