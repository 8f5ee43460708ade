package import NIOCore
package import ParleyModel
package import ParleyWire
import Synchronization

/// Who in this process wants which thread: the way from the bus to the sockets of a node.
///
/// One event loop of the node is its **home**: there every event passes `HubCore`, in order. Every loop has a
/// `LoopRoster` with the sockets that live on it. Nothing on the way is locked but the door between the bus and the
/// home loop, which is passed once per burst.
package final class FanOut: Sendable {
    /// The event loops that sockets live on, at most `LoopSet.capacity`.
    package let loops: [any EventLoop]
    let home: any EventLoop
    let bus: any ThreadBus
    let log: any MessageLog
    let work: WorkPool
    let metrics: FanOutMetrics
    private let hub: NIOLoopBoundBox<HubCore?>
    private let rosters: [NIOLoopBoundBox<LoopRoster?>]
    private let inbox = Mutex(BusInbox())

    /// - Parameters:
    ///   - loops: the first of them is the home loop.
    ///   - work: runs the reading of the log; its `run` is the caller's to call.
    package init(
        loops: [any EventLoop], bus: any ThreadBus, log: any MessageLog, work: WorkPool, metrics: FanOutMetrics
    ) {
        precondition(!loops.isEmpty && loops.count <= LoopSet.capacity, "1 to \(LoopSet.capacity) event loops")
        self.loops = loops
        self.home = loops[0]
        self.bus = bus
        self.log = log
        self.work = work
        self.metrics = metrics
        hub = .makeEmptyBox(eventLoop: loops[0])
        rosters = loops.map { .makeEmptyBox(eventLoop: $0) }
    }

    /// Takes up the bus. To be called once, before any user is admitted.
    /// - Parameter linger: how long a topic that nobody wants stays subscribed.
    package func start(linger: TimeAmount = .seconds(1)) async throws {
        for (index, loop) in loops.enumerated() {
            try await loop.submit { [self] in
                rosters[index].value = LoopRoster(metrics: metrics) { [self] topics, seenGrant in
                    onHub { $0.release(topics, by: index, seenGrant: seenGrant) }
                }
            }.get()
        }
        try await home.submit { [self] in hub.value = HubCore(self, linger: linger.nanoseconds) }.get()
        bus.attach { [self] in receive($0) }
    }

    /// The roster of a loop; to be called on that loop, after `start`.
    package func roster(_ loop: Int) -> LoopRoster {
        guard let roster = rosters[loop].value else { preconditionFailure("FanOut was not started") }
        return roster
    }

    /// The index of an event loop among `loops`.
    package func index(of loop: any EventLoop) -> Int? {
        loops.firstIndex { $0 === loop }
    }

    // MARK: Users come and go

    /// Makes a user live on a loop, ready for a socket: memberships known, threads subscribed.
    ///
    /// Afterwards either `LoopRoster.register` or `LoopRoster.cancelReservation` must be called on that loop.
    /// - Parameters:
    ///   - encoding: of the socket; counted until `forget`.
    ///   - memberships: reads them from the store, not from a cache: the user's channel is subscribed before it is
    ///     called, so that no change falls between.
    package func admit(
        _ user: User, on loop: Int, encoding: Encoding,
        memberships: @Sendable (UserID) async throws -> [Membership]
    ) async throws {
        let isLive = loops[loop].makePromise(of: Bool.self)
        let reservation = try await loops[loop].submit { [self] in
            let reservation = roster(loop).reserve(user) { isLive.succeed($0) }
            if case .wait = reservation {} else { isLive.succeed(true) }
            return reservation
        }.get()
        do {
            try await home.submit { [self] in hub.value?.use(encoding) }.get()
            if case .load = reservation {
                try await load(user, on: loop, memberships)
            }
            guard try await isLive.futureResult.get() else { throw BusError.unavailable("memberships not loaded") }
        } catch {
            forget(encoding)
            if case .load = reservation {
            } else {
                loops[loop].execute { [self] in roster(loop).cancelReservation(user.id) }
            }
            throw error
        }
    }

    private func load(
        _ user: User, on loop: Int, _ memberships: @Sendable (UserID) async throws -> [Membership]
    ) async throws {
        var pinned: [Membership] = []
        do {
            try await want([.user(user.id)], on: loop)
            let known = try await memberships(user.id)
            try await loops[loop].submit { [self] in roster(loop).pin(known) }.get()
            pinned = known
            try await want(known.map { .thread($0.thread.id) }, on: loop)
            try await loops[loop].submit { [self] in roster(loop).loaded(user.id, known) }.get()
        } catch {
            let pinned = pinned
            loops[loop].execute { [self] in
                roster(loop).loadFailed(user.id)
                roster(loop).unpin(pinned)
            }
            throw error
        }
    }

    private func want(_ topics: [BusTopic], on loop: Int) async throws {
        let isLive = home.makePromise(of: Void.self)
        onHub { hub in
            hub.want(topics, on: LoopSet(loop)) { result in isLive.completeWith(result.mapError { $0 as any Error }) }
        }
        try await isLive.futureResult.get()
    }

    /// A socket of this encoding is gone.
    package func forget(_ encoding: Encoding) {
        onHub { $0.drop(encoding) }
    }

    /// A user of this node is found to be a member of a thread, though no control event said so; does nothing if they
    /// are in it already.
    package func adopt(_ user: UserID, _ membership: Membership, after: Int64) {
        onHub { $0.adopt(user, membership, after: after) }
    }

    // MARK: Hops

    /// From any thread to the hub.
    func onHub(_ body: @escaping @Sendable (HubCore) -> Void) {
        home.execute { [self] in
            if let hub = hub.value { body(hub) }
        }
    }

    /// From the home loop to a roster.
    func onRoster(_ loop: Int, _ body: @escaping @Sendable (LoopRoster) -> Void) {
        if loop == 0 {
            body(roster(0))
        } else {
            loops[loop].execute { [self] in body(roster(loop)) }
        }
    }

    /// From the bus, on any thread: one hop for all signals that come before the home loop gets to them.
    private func receive(_ signal: BusSignal) {
        let isFirst = inbox.withLock { $0.put(signal) }
        guard isFirst else { return }
        home.execute { [self] in
            let signals = inbox.withLock { $0.takeAll() }
            guard let hub = hub.value else { return }
            for signal in signals { hub.receive(signal) }
        }
    }
}
