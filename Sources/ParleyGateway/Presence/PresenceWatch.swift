package import NIOCore
package import ParleyFanOut
package import ParleyModel

/// A node's part in presence: tells the board which users have sockets here, and its connections about the users whom
/// they watch.
///
/// - A user vanishes from the board when their last socket here has been closed for the grace, so that a reconnect is
///   not seen.
/// - Whoever is watched is subscribed to; the state of each is read once, and then follows from what is published.
/// - When a node dies nothing is published: its lease is missed, and all states are read again. So they are after a
///   cut, when something may have been missed; while nodes may not have said yet who their users are, nobody is
///   believed to be offline.
///
/// Bound to one event loop, where `deliver` is called too; everything here can be called from any thread. Bounded by
/// `PresenceSettings`, and by the number of sockets.
package final class PresenceWatch: Sendable {
    package typealias Deliver = WatchTable.Deliver

    private struct State {
        var sockets: [UserID: Int] = [:]
        /// Users without sockets whose grace is not over, and when it is (milliseconds).
        var leaving: [UserID: Int64] = [:]
        var table = WatchTable()
        var leases = LeaseCheck()
        var nextLook: Int64 = 0
        /// When all states are to be read again (milliseconds); `nil`: not at all.
        var rereadAt: Int64?
        /// Until then nobody is believed to be offline because of a reading.
        var doubtUntil: Int64 = .min
    }

    private let loop: any EventLoop
    private let presenceRegistry: any PresenceRegistry
    private let bus: any ThreadBus
    private let work: WorkPool
    private let clock: WallClock
    private let settings: PresenceSettings
    private let sharesThread: @Sendable (UserID, [UserID]) async throws -> Set<UserID>
    private let state: NIOLoopBoundBox<State>

    /// - Parameters:
    ///   - bus: for subscriptions; what it brings must come in by `heard` and `missedSomething`, see `Gateway.start`.
    ///   - sharesThread: those of the users who share a thread with the first; only their presence is shown.
    package init(
        loop: any EventLoop, presenceRegistry: any PresenceRegistry, bus: any ThreadBus, work: WorkPool,
        settings: PresenceSettings = .init(), clock: WallClock = .system,
        sharesThread: @escaping @Sendable (UserID, [UserID]) async throws -> Set<UserID>
    ) {
        self.loop = loop
        self.presenceRegistry = presenceRegistry
        self.bus = bus
        self.work = work
        self.settings = settings
        self.clock = clock
        self.sharesThread = sharesThread
        state = .makeBoxSendingValue(State(), eventLoop: loop)
    }

    // MARK: Sockets

    /// A socket of the user was opened here.
    package func connected(_ user: UserID) {
        loop.execute { [self] in
            let count = (state.value.sockets[user] ?? 0) + 1
            state.value.sockets[user] = count
            guard count == 1, state.value.leaving.removeValue(forKey: user) == nil else { return }
            presenceRegistry.appeared(user)
        }
    }

    /// A socket of the user was closed here; once for each `connected`.
    package func disconnected(_ user: UserID) {
        loop.execute { [self] in
            guard let count = state.value.sockets[user] else { return }
            state.value.sockets[user] = count > 1 ? count - 1 : nil
            if count == 1 { state.value.leaving[user] = now + milliseconds(settings.grace) }
        }
    }

    // MARK: Watching

    /// From now on the connection hears of these users and of no others; the present state of each comes at once.
    /// - Parameters:
    ///   - user: whose connection it is; of users without a common thread it hears that they are offline. Their own
    ///     presence is shown to everybody.
    ///   - deliver: called on the loop of this object, with the state of every user before `completion`, and then with
    ///     each change. Must not block.
    ///   - completion: called once, on any thread; `unavailable` if nothing has changed because the board, the bus or
    ///     the store is away, or too much is watched here.
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

    /// The connection is gone, or hears of nobody any more.
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
            let shared = others.isEmpty ? [] : try await sharesThread(user, Array(others))
            shown = shared.union([user]).intersection(users)
        } catch {
            return .failure(.unavailable("memberships cannot be looked up at the moment"))
        }
        let isReserved = await onLoop { [self] in
            guard state.value.table.pairs + shown.count <= settings.watched else { return false }
            state.value.table.reserve(shown)
            return true
        }
        guard isReserved else { return .failure(.unavailable("too many users are watched here")) }
        let result = await subscribeAndRead(shown)
        await onLoop { [self] in
            if case .success(let states) = result {
                for presence in states { learn(presence) }
                if let installed = state.value.table.install(ticket, shown, deliver) {
                    let hidden = users.subtracting(shown).map {
                        UserPresence(user: $0, isOnline: false, lastSeen: nil, stamp: .min)
                    }
                    let all = installed.known + hidden
                    if !all.isEmpty { deliver(all) }
                    unsubscribe(installed.unwatched)
                }
            }
            unsubscribe(state.value.table.release(shown))
        }
        return result.map { _ in }
    }

    private func subscribeAndRead(_ users: Set<UserID>) async -> Result<[UserPresence], SharedStoreError> {
        guard !users.isEmpty else { return .success([]) }
        let subscribed = await withCheckedContinuation { continuation in
            // Whoever is subscribed to already is no cost.
            bus.subscribe(to: users.map { .presence($0) }) { continuation.resume(returning: $0) }
        }
        if case .failure = subscribed { return .failure(.unavailable("the bus is away")) }
        do throws(SharedStoreError) {
            return .success(try await presenceRegistry.states(of: Array(users)))
        } catch {
            return .failure(error)
        }
    }

    private func unsubscribe(_ users: [UserID]) {
        if !users.isEmpty { bus.unsubscribe(from: users.map { .presence($0) }) }
    }

    // MARK: What the bus brings

    /// A change was published.
    package func heard(_ presence: UserPresence) {
        loop.execute { [self] in learn(presence) }
    }

    /// The bus was cut: changes may have been missed, and Redis may have lost what it knew.
    package func missedSomething() {
        loop.execute { [self] in
            state.value.table.forgetStamps()
            state.value.rereadAt = now
            state.value.doubtUntil = now + milliseconds(settings.recovery)
        }
    }

    private func learn(_ presence: UserPresence, believesOffline: Bool = true) {
        for deliver in state.value.table.learn(presence, believesOffline: believesOffline) { deliver([presence]) }
    }

    // MARK: Time

    /// Lets time pass, until the task is cancelled. When it ends nobody here is online any more.
    package func run() async {
        let (turns, turn) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let pause = TimeAmount(settings.tick)
        // On the loop, since a task that wakes ten times a second is a tenth of what an idle node costs.
        let timer = loop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { [self] _ in
            if isDue { turn.yield() }
        }
        for await _ in turns { await tick() }
        timer.cancel()
        await onLoop { [self] in
            let users = Set(state.value.sockets.keys).union(state.value.leaving.keys)
            state.value.sockets = [:]
            state.value.leaving = [:]
            for user in users { presenceRegistry.vanished(user) }
        }
    }

    /// Whether there is anything for `tick` to do.
    private var isDue: Bool {
        let (state, now) = (state.value, now)
        if state.leaving.values.contains(where: { $0 <= now }) { return true }
        return !state.table.isEmpty && (state.nextLook <= now || state.rereadAt.map { $0 <= now } ?? false)
    }

    /// Does what is due by the clock: ends graces, looks at the leases, reads states again.
    package func tick() async {
        let (looks, rereads) = await onLoop { [self] in
            let now = now
            for (user, end) in state.value.leaving where end <= now {
                state.value.leaving[user] = nil
                presenceRegistry.vanished(user)
            }
            guard !state.value.table.isEmpty else { return (false, false) }
            let looks = now >= state.value.nextLook
            if looks { state.value.nextLook = now + milliseconds(settings.look) }
            let rereads = state.value.rereadAt.map { $0 <= now } ?? false
            if rereads {
                // Read again when all nodes have had time to speak.
                let doubtUntil = state.value.doubtUntil
                state.value.rereadAt = now < doubtUntil ? doubtUntil : nil
            }
            return (looks, rereads)
        }
        if rereads { await reread() }
        guard looks, let leases = try? await presenceRegistry.leases() else { return }
        let isNodeGone = await onLoop { [self] in state.value.leases.looked(leases) }
        if isNodeGone { await reread() }
    }

    private func reread() async {
        let users = await onLoop { [self] in state.value.table.users }
        for start in stride(from: 0, to: users.count, by: settings.batch) {
            let part = Array(users[start..<min(start + settings.batch, users.count)])
            let states = try? await presenceRegistry.states(of: part)
            await onLoop { [self] in
                guard let states else {
                    // The board is away: once more, soon.
                    state.value.rereadAt = now + 1000
                    return
                }
                let believesOffline = now >= state.value.doubtUntil
                for presence in states { learn(presence, believesOffline: believesOffline) }
            }
        }
    }

    // MARK: -

    private var now: Int64 { clock.milliseconds }

    private func milliseconds(_ duration: Duration) -> Int64 {
        Int64(duration / .milliseconds(1))
    }

    /// How many users are here, leave, and are watched; for tests and metrics.
    package var counts: (present: Int, leaving: Int, watched: Int, pairs: Int) {
        get async {
            await onLoop { [self] in
                let state = state.value
                return (state.sockets.count, state.leaving.count, state.table.users.count, state.table.pairs)
            }
        }
    }

    @discardableResult
    private func onLoop<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: body()) }
        }
    }
}
