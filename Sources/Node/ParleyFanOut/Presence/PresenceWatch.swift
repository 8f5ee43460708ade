package import NIOCore
package import ParleyModel

/// The time and size limits of a `PresenceWatch`.
package struct PresenceSettings: Hashable, Sendable {
    /// The time that a user stays online after their last socket has closed, which hides reconnects.
    package var grace = Duration.milliseconds(400)
    /// The interval of checks for ended grace periods.
    package var tick = Duration.milliseconds(100)
    /// The interval of checks for dead nodes.
    package var checkInterval = Duration.seconds(5)
    /// The time that nodes may take to publish their users again after an interruption.
    package var recovery = Duration.seconds(8)
    /// The maximum number of users that one connection can watch.
    package var usersPerConnection = 500
    /// The maximum number of users watched on this node, counted per connection. Further watches are `unavailable`.
    package var watched = 2_000_000
    /// The maximum number of users in one read of presence.
    package var batch = 500
    /// The most pairs of users whose shared threads are looked up in one call.
    package var pairs = 2000

    package init() {}
}

/// Presence on this node: registers the users with sockets here, and delivers the presence of watched users.
///
/// - A user is removed from the registry a grace period after their last socket here has closed, which hides
///   reconnects.
/// - The node subscribes to each watched user, reads their presence once, and then follows the published changes.
/// - Only users who share a thread with the watching user are shown. When memberships change, the shared threads are
///   looked up again (`PresenceWatch+Memberships.swift`).
/// - A dead node publishes nothing: its lease expires, and all presence is read again, as after an interruption of the
///   bus. No user is considered offline while nodes may not have published all of their users.
///
/// The state is bound to one event loop, which calls `deliver`. All methods can be called from any thread.
/// `PresenceSettings` and the number of sockets bound the state.
package final class PresenceWatch: Sendable {
    package typealias Deliver = WatchTable.Deliver

    struct State {
        var sockets: [UserID: Int] = [:]
        /// Users without sockets, with the end of their grace period in milliseconds.
        var leaving: [UserID: Int64] = [:]
        var table = WatchTable()
        var leases = LeaseCheck()
        var nextCheck: Int64 = 0
        /// The time of the next read of all presence in milliseconds; `nil` if none is planned.
        var rereadAt: Int64?
        /// The time until which a read takes no user offline.
        var incompleteUntil: Int64 = .min
        /// The time until which shared threads are not looked up, after a failed lookup.
        var membershipsAwayUntil: Int64 = .min
    }

    let loop: any EventLoop
    private let presenceRegistry: any PresenceRegistry
    private let bus: any ThreadBus
    private let work: WorkPool
    private let clock: WallClock
    let settings: PresenceSettings
    let peers: @Sendable ([UserID: Set<UserID>]) async throws -> [UserID: Set<UserID>]
    let state: NIOLoopBoundBox<State>

    /// - Parameters:
    ///   - bus: for subscriptions; its signals must be passed to `observed`.
    ///   - peers: Returns the users among each user's others that share a thread with the user. Only their presence is shown.
    package init(
        loop: any EventLoop, presenceRegistry: any PresenceRegistry, bus: any ThreadBus, work: WorkPool,
        settings: PresenceSettings = .init(), clock: WallClock = .system,
        peers: @escaping @Sendable ([UserID: Set<UserID>]) async throws -> [UserID: Set<UserID>]
    ) {
        self.loop = loop
        self.presenceRegistry = presenceRegistry
        self.bus = bus
        self.work = work
        self.settings = settings
        self.clock = clock
        self.peers = peers
        state = .makeBoxSendingValue(State(), eventLoop: loop)
    }

    // MARK: Sockets

    /// Notes that a socket of the user was opened here.
    package func connected(_ user: UserID) {
        loop.execute { [self] in
            let count = (state.value.sockets[user] ?? 0) + 1
            state.value.sockets[user] = count
            guard count == 1, state.value.leaving.removeValue(forKey: user) == nil else { return }
            presenceRegistry.connected(user)
        }
    }

    /// Notes that a socket of the user was closed here. Call this method once for each `connected`.
    package func disconnected(_ user: UserID) {
        loop.execute { [self] in
            guard let count = state.value.sockets[user] else { return }
            state.value.sockets[user] = count > 1 ? count - 1 : nil
            if count == 1 { state.value.leaving[user] = now + milliseconds(settings.grace) }
        }
    }

    // MARK: Watching

    /// Watches a set of users for a connection, instead of its previous set, and delivers the current presence of each.
    /// - Parameters:
    ///   - user: The user of the connection. Users without a common thread are shown as offline. All users see their
    ///     own presence.
    ///   - deliver: Called on the event loop with the state of every user before `completion`, and then with each
    ///     change. It must not block.
    ///   - completion: Called once, on any thread. It receives `unavailable`, and the watch does not change, if the
    ///     registry, the bus or the store is unavailable, or too many users are watched here.
    package func watch(
        _ connection: ConnectionID, by user: UserID, _ users: [UserID], deliver: @escaping Deliver,
        completion: @escaping @Sendable (Result<Void, SharedStoreError>) -> Void
    ) {
        let users = Set(users.prefix(settings.usersPerConnection))
        loop.execute { [self] in
            let ticket = state.value.table.begin(connection)
            let isTaken = work.submit { [self] in
                completion(await watch(ticket, by: user, users, deliver))
            }
            if !isTaken { completion(.failure(.unavailable("this node is too busy"))) }
        }
    }

    /// Ends the watch of a connection.
    package func unwatch(_ connection: ConnectionID) {
        loop.execute { [self] in
            unsubscribe(state.value.table.remove(connection))
        }
    }

    private func watch(
        _ ticket: WatchTable.Ticket, by user: UserID, _ users: Set<UserID>, _ deliver: @escaping Deliver
    ) async -> Result<Void, SharedStoreError> {
        let shown: Set<UserID>
        do {
            let others = users.subtracting([user])
            let shared = others.isEmpty ? [] : try await peers([user: others])[user, default: []]
            shown = shared.union([user]).intersection(users)
        } catch {
            return .failure(.unavailable("memberships cannot be looked up at the moment"))
        }
        let isReserved = await onLoop { [self] in
            guard state.value.table.pairs + users.count <= settings.watched else { return false }
            state.value.table.reserve(shown)
            return true
        }
        guard isReserved else { return .failure(.unavailable("too many users are watched here")) }
        let result = await subscribeAndRead(shown)
        await onLoop { [self] in
            if case .success(let states) = result {
                for presence in states { update(presence) }
                if let installed = state.value.table.install(
                    ticket, by: user, users, shown: shown, deliver)
                {
                    let hidden = users.subtracting(shown).map { UserPresence.hidden($0) }
                    let all = installed.known + hidden
                    if !all.isEmpty { deliver(all) }
                    unsubscribe(installed.unwatched)
                }
            }
            unsubscribe(state.value.table.release(shown))
        }
        return result.map { _ in }
    }

    func subscribeAndRead(_ users: Set<UserID>) async -> Result<[UserPresence], SharedStoreError> {
        guard !users.isEmpty else { return .success([]) }
        let subscribed = await withCheckedContinuation { continuation in
            // A repeated subscription has no cost.
            bus.subscribe(to: users.map { .presence($0) }) { continuation.resume(returning: $0) }
        }
        // The presence of users on an unavailable host follows when the host recovers, as after a lost connection.
        if case .failure(.unavailable) = subscribed { return .failure(.unavailable("the bus is unavailable")) }
        do throws(SharedStoreError) {
            return .success(try await presenceRegistry.states(of: Array(users)))
        } catch {
            return .failure(error)
        }
    }

    func unsubscribe(_ users: [UserID]) {
        if !users.isEmpty { bus.unsubscribe(from: users.map { .presence($0) }) }
    }

    // MARK: Signals of the bus

    /// Handles a signal of the bus, on any thread.
    package func observed(_ signal: BusSignal) {
        switch signal {
        case .event(let event):
            if let user = event.member { membershipsChanged(of: [user]) }
        case .control(let event, let user):
            if event.isOfMembership { membershipsChanged(of: [user]) }
        case .presence(let state): received(state)
        case .resubscribed: resynchronize()
        case .ephemeral, .foreign: break
        }
    }

    /// Handles a published change.
    private func received(_ presence: UserPresence) {
        loop.execute { [self] in update(presence) }
    }

    /// Handles an interruption of the bus: changes may be missing, and Redis may have lost its state.
    package func resynchronize() {
        loop.execute { [self] in
            state.value.table.forgetStamps()
            state.value.rereadAt = now
            state.value.incompleteUntil = now + milliseconds(settings.recovery)
        }
    }

    func update(_ presence: UserPresence, trustsOffline: Bool = true) {
        for deliver in state.value.table.update(presence, trustsOffline: trustsOffline) { deliver([presence]) }
    }

    // MARK: Time

    /// Runs until the task is cancelled. Then removes all users of this node from the registry.
    package func run() async {
        let (turns, turn) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (rechecks, recheck) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let pause = TimeAmount(settings.tick)
        // The timer runs on the event loop, because a task that wakes ten times a second would be a tenth of the cost
        // of an idle node.
        let timer = loop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { [self] _ in
            if isDue { turn.yield() }
            if isRecheckDue { recheck.yield() }
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in for await _ in turns { await tick() } }
            // Rechecks run in a separate task, because reading presence after an interruption may take long.
            group.addTask { [self] in for await _ in rechecks { await recheckMemberships() } }
        }
        timer.cancel()
        await onLoop { [self] in
            let users = Set(state.value.sockets.keys).union(state.value.leaving.keys)
            state.value.sockets = [:]
            state.value.leaving = [:]
            for user in users { presenceRegistry.disconnected(user) }
        }
    }

    /// Whether `tick` has work to do.
    private var isDue: Bool {
        let (state, now) = (state.value, now)
        if state.leaving.values.contains(where: { $0 <= now }) { return true }
        return !state.table.isEmpty && (state.nextCheck <= now || state.rereadAt.map { $0 <= now } ?? false)
    }

    /// Ends grace periods, checks the leases, and reads presence again when necessary.
    package func tick() async {
        let (isCheckDue, rereads) = await onLoop { [self] in
            let now = now
            for (user, end) in state.value.leaving where end <= now {
                state.value.leaving[user] = nil
                presenceRegistry.disconnected(user)
            }
            guard !state.value.table.isEmpty else { return (false, false) }
            let isCheckDue = now >= state.value.nextCheck
            if isCheckDue { state.value.nextCheck = now + milliseconds(settings.checkInterval) }
            let rereads = state.value.rereadAt.map { $0 <= now } ?? false
            if rereads {
                // Reads once more after all nodes were able to publish.
                let incompleteUntil = state.value.incompleteUntil
                state.value.rereadAt = now < incompleteUntil ? incompleteUntil : nil
            }
            return (isCheckDue, rereads)
        }
        if rereads { await reread() }
        guard isCheckDue, let leases = try? await presenceRegistry.leases() else { return }
        let isNodeGone = await onLoop { [self] in state.value.leases.update(leases) }
        if isNodeGone { await reread() }
    }

    private func reread() async {
        let users = await onLoop { [self] in state.value.table.users }
        for start in stride(from: 0, to: users.count, by: settings.batch) {
            let part = Array(users[start..<min(start + settings.batch, users.count)])
            let states = try? await presenceRegistry.states(of: part)
            await onLoop { [self] in
                guard let states else {
                    // The registry is unavailable, so the read is tried again soon.
                    state.value.rereadAt = now + 1000
                    return
                }
                let trustsOffline = now >= state.value.incompleteUntil
                for presence in states { update(presence, trustsOffline: trustsOffline) }
            }
        }
    }

    // MARK: -

    var now: Int64 { clock.milliseconds }

    private func milliseconds(_ duration: Duration) -> Int64 {
        Int64(duration / .milliseconds(1))
    }

    /// The numbers of present, leaving and watched users, for tests and metrics.
    package var counts: (present: Int, leaving: Int, watched: Int, pairs: Int) {
        get async {
            await onLoop { [self] in
                let state = state.value
                return (state.sockets.count, state.leaving.count, state.table.users.count, state.table.pairs)
            }
        }
    }

    @discardableResult
    func onLoop<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: body()) }
        }
    }
}
