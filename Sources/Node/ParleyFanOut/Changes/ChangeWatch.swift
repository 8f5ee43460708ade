package import Logging
package import ParleyModel
import Synchronization

/// Updates the sockets of this node after changes of their users, even if a control event was lost.
///
/// - It polls the change feed every 2 s, after every interruption of the bus and after every control event. A poll is
///   one small query for the changes since the last reply, however many users are present.
/// - It reads snapshots of the changed users that are present, in batches, and applies them to their sockets:
///   memberships, roles, sessions, credentials, erasures and deleted API keys.
/// - It reads the options of changed rooms, and applies them to the memberships of this node.
/// - It announces new names and profiles to the sockets that share threads with the user.
/// - It tells users and moderators that lists of invitations and requests have changed.
/// - It keeps its position while the database is unavailable.
///
/// The effect of every control event is therefore checked against the store. A mutex owns the plan; rounds run one
/// after another.
package final class ChangeWatch: Sendable {
    /// The delay in which control events are collected before a round, and the pause between batches.
    package static let gathering = Duration.milliseconds(200)
    /// The maximum number of subjects in a page of the feed.
    static let feedLimit = 1000
    /// The maximum number of pages in a round.
    private static let feedPages = 64
    /// The maximum number of users in a query.
    static let batchSize = 500
    /// The maximum number of users whose new names and profiles are announced in a round.
    static let profilesAtOnce = 100

    private let feed: any ChangeFeed
    private let fanOut: FanOut
    private let isAlive: @Sendable (TokenHash, User) async throws -> Bool
    private let isKey: @Sendable (TokenHash) async throws -> Bool
    private let profiles: @Sendable ([UserID]) async throws -> [UserID: Profile]
    private let changed: @Sendable ([UserID]?) -> Void
    private let interval: Duration
    private let logger: Logger
    private let plan = Mutex(ChangePlan())
    private let isFeedAway = Mutex(false)
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - isAlive: Returns whether an auth session of a user is still valid.
    ///   - isKey: Returns whether an API key with this hash exists.
    ///   - profiles: Returns the profiles of users; a user without an entry has none.
    ///   - changed: Called with the changed users of each page of the feed, including users who are not present; `nil`
    ///     if the feed cannot name all of them.
    ///   - interval: The polling interval without control events.
    package init(
        feed: any ChangeFeed, fanOut: FanOut, isAlive: @escaping @Sendable (TokenHash, User) async throws -> Bool,
        isKey: @escaping @Sendable (TokenHash) async throws -> Bool,
        profiles: @escaping @Sendable ([UserID]) async throws -> [UserID: Profile] = { _ in [:] },
        changed: @escaping @Sendable ([UserID]?) -> Void = { _ in }, interval: Duration = .seconds(2), logger: Logger
    ) {
        self.feed = feed
        self.fanOut = fanOut
        self.isAlive = isAlive
        self.isKey = isKey
        self.profiles = profiles
        self.changed = changed
        self.interval = interval
        self.logger = logger
        // One round serves any number of wake-ups.
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Polls the feed soon.
    package func pollSoon() {
        tick()
    }

    /// Subscribes to the control events for every node; see `received`. Without them, the feed reports the same changes
    /// at the next interval.
    package func listen() {
        fanOut.bus.subscribe(to: [.user(.everyone)]) { _ in }
    }

    /// Polls the feed soon after a control event for every node. Called with each signal of the bus.
    package func received(_ signal: BusSignal) {
        // The tick is left to the interval, which limits the announcements of each user.
        if case .control(_, .everyone) = signal { wake.yield() }
    }

    /// Rechecks the memberships and rights of a user.
    /// - Parameter isUrgent: `true` to recheck the user soon, `false` to wait for the next round.
    package func recheck(_ user: UserID, isUrgent: Bool = true) {
        plan.withLock { $0.add(user) }
        if isUrgent { wake.yield() }
    }

    /// Runs until the task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                repeat { tick() } while (try? await Task.sleep(for: interval)) != nil
                wake.finish()
            }
            // The first round takes the mark that changes are read since; a change before it is announced to no socket.
            var isFirst = true
            for await _ in wakes {
                // Further wake-ups join the same round.
                if !isFirst { guard (try? await Task.sleep(for: Self.gathering)) != nil else { break } }
                isFirst = false
                await round()
                if plan.withLock({ $0.hasUsers }) { wake.yield() }
            }
            group.cancelAll()
        }
    }

    private func tick() {
        plan.withLock { $0.tick() }
        wake.yield()
    }

    /// Polls the feed, announces one batch of users, and rechecks another.
    package func round() async {
        await poll()
        let profiles = plan.withLock { $0.takeProfiles(limit: Self.profilesAtOnce) }
        if !profiles.isEmpty { await announce(profiles) }
        let rooms = plan.withLock { $0.takeRooms(limit: Self.batchSize) }
        if !rooms.isEmpty { await update(rooms) }
        let batch = plan.withLock { $0.take(limit: Self.batchSize) }
        if !batch.isEmpty { await recheck(batch) }
        await recheckKeys()
    }

    private func poll() async {
        for _ in 0..<Self.feedPages {
            let page: ChangePage
            do {
                page = try await feed.changes(since: plan.withLock { $0.mark }, limit: Self.feedLimit)
            } catch {
                return feedFailed(error)
            }
            feedReplied()
            let isAnew = plan.withLock { $0.isAnew(page) }
            // If a database has lost versions, its versions cannot be compared with earlier ones.
            if page.isReset { await fanOut.forgetVersions() }
            if !page.entrances.isEmpty { fanOut.announce(page.entrances) }
            // A user who connects later reads a snapshot that is newer than this change.
            let present =
                await isAnew || !page.users.isEmpty ? fanOut.present(among: isAnew ? nil : page.users).users : []
            plan.withLock { $0.received(page, present: present) }
            if isAnew || !page.users.isEmpty { changed(isAnew ? nil : page.users) }
            if !page.hasMore { return }
        }
    }

    private func recheck(_ batch: [UserID]) async {
        let (users, mark) = await fanOut.present(among: batch)
        guard !users.isEmpty else { return }
        guard let snapshots = try? await feed.snapshots(of: users) else { return unfinished(users) }
        for user in users where snapshots[user] == nil { fanOut.apply(.erased, to: user) }
        let rest = await fanOut.update(to: Array(snapshots.values), readAfter: mark)
        unfinished(rest.all)
        // A feed that starts over does not report changes of names.
        plan.withLock { $0.add(profiles: rest.renamed) }
        await recheckSessions(of: users)
    }

    private func announce(_ batch: [UserID]) async {
        // The memberships of users who are not on this node are not known here.
        guard let snapshots = try? await feed.snapshots(of: batch), let profiles = try? await profiles(batch) else {
            return plan.withLock { $0.add(profiles: batch) }
        }
        fanOut.announce(snapshots.values.map { ($0, profiles[$0.user.id] ?? Profile()) })
    }

    /// Reads the options of rooms, and applies them to their members.
    private func update(_ rooms: [ThreadID]) async {
        guard let options = try? await feed.options(of: rooms) else {
            return plan.withLock { $0.addUnfinished(rooms: rooms) }
        }
        fanOut.apply(options)
    }

    private func recheckSessions(of users: [UserID]) async {
        let opened = await fanOut.sessions(of: users)
        await withTaskGroup(of: Void.self) { group in
            for (token, user) in opened { group.addTask { await self.recheck(token, of: user) } }
        }
    }

    private func recheck(_ session: TokenHash, of user: User) async {
        do {
            if try await !isAlive(session, user) { fanOut.apply(.sessionRevoked(session), to: user.id) }
        } catch {
            unfinished([user.id])
        }
    }

    private func recheckKeys() async {
        let keys = plan.withLock { $0.takeKeys() }
        let here: Set<TokenHash>
        switch keys {
        case .none: return
        case .some(let keys): here = await fanOut.apiKeys(among: keys)
        case .all: here = await fanOut.apiKeys(among: nil)
        }
        var deleted: Set<TokenHash> = []
        do {
            for key in here where try await !isKey(key) { deleted.insert(key) }
        } catch {
            plan.withLock { $0.addUnfinished(keys) }
        }
        if !deleted.isEmpty { fanOut.revoke(apiKeys: deleted) }
    }

    private func unfinished(_ users: some Sequence<UserID>) {
        plan.withLock { $0.addUnfinished(users) }
    }

    // MARK: Logging

    private func feedFailed(_ error: StoreError) {
        let isFirst = isFeedAway.withLock { isAway in
            defer { isAway = true }
            return !isAway
        }
        guard isFirst else { return }
        logger.warning(
            "change feed not readable; lost control events are repaired when the database is back",
            metadata: ["reason": "\(error)"])
    }

    private func feedReplied() {
        let wasAway = isFeedAway.withLock { isAway in
            defer { isAway = false }
            return isAway
        }
        if wasAway { logger.notice("change feed readable again") }
    }
}
