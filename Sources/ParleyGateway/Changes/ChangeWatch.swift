package import Logging
package import ParleyAccounts
package import ParleyFanOut
package import ParleyModel
import Synchronization

/// Finds out what has happened to the users of this node, whether somebody has told of it or not.
///
/// - asks the change feed every 2 s, after every cut of the bus and after every control event what has changed since the
///   last answer; that is one small query, however many users are present;
/// - reads how those of them stand that are present, in batches, and brings their sockets to it: memberships, roles,
///   sessions, credentials, erasures and deleted API keys;
/// - keeps its place while the database is away, and goes on from there.
///
/// What a control event has done is thereby checked against the store, so that neither a lost nor a late one counts.
/// The plan is owned by a mutex; rounds come one after another.
package final class ChangeWatch: Sendable {
    /// How often the feed is asked when nothing is told.
    package static let interval = Duration.seconds(2)
    /// How long what is told gathers before it is looked at, and the pause between batches.
    package static let gathering = Duration.milliseconds(200)
    /// The most subjects of one answer of the feed.
    static let feedLimit = 1000
    /// The most answers of the feed that are taken in one round.
    private static let feedPages = 64
    /// The most users of one query.
    static let batchSize = 500

    private let feed: any ChangeFeed
    private let fanOut: FanOut
    private let directory: BatchedDirectory
    private let sessions: AuthSessions
    private let logger: Logger
    private let plan = Mutex(ChangePlan())
    private let isFeedAway = Mutex(false)
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    package init(
        feed: any ChangeFeed, fanOut: FanOut, directory: BatchedDirectory, sessions: AuthSessions, logger: Logger
    ) {
        self.feed = feed
        self.fanOut = fanOut
        self.directory = directory
        self.sessions = sessions
        self.logger = logger
        // However often it is said, one round sees it all.
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Something may have happened: asks soon.
    package func look() {
        tick()
    }

    /// A user is to be looked at.
    /// - Parameter isUrgent: soon; otherwise with the next round.
    package func look(at user: UserID, isUrgent: Bool = true) {
        plan.withLock { $0.add(user) }
        if isUrgent { wake.yield() }
    }

    /// Watches until the task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                repeat { tick() } while (try? await Task.sleep(for: Self.interval)) != nil
                wake.finish()
            }
            for await _ in wakes {
                // What comes meanwhile is seen in the same round.
                guard (try? await Task.sleep(for: Self.gathering)) != nil else { break }
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

    /// Asks the feed, and looks at one batch of users.
    package func round() async {
        await ask()
        let batch = plan.withLock { $0.take(limit: Self.batchSize) }
        if !batch.isEmpty { await look(at: batch) }
        await lookAtKeys()
    }

    private func ask() async {
        for _ in 0..<Self.feedPages {
            let page: ChangePage
            do {
                page = try await feed.changes(since: plan.withLock { $0.mark }, limit: Self.feedLimit)
            } catch {
                return feedFailed(error)
            }
            feedAnswered()
            let isAnew = plan.withLock { $0.isAnew(page) }
            // Versions of a database that has lost some do not compare with those before.
            if page.isReset { await fanOut.forgetVersions() }
            // Whoever is not here yet reads how they stand when they come, and that is after this change.
            let present =
                await isAnew || !page.users.isEmpty ? fanOut.present(among: isAnew ? nil : page.users).users : []
            plan.withLock { $0.answered(page, present: present) }
            if !page.hasMore { return }
        }
    }

    private func look(at batch: [UserID]) async {
        let (users, mark) = await fanOut.present(among: batch)
        guard !users.isEmpty else { return }
        guard let snapshots = try? await feed.snapshots(of: users) else { return unfinished(users) }
        for user in users where snapshots[user] == nil { fanOut.apply(.erased, to: user) }
        unfinished(await fanOut.update(to: Array(snapshots.values), readAfter: mark).all)
        await lookAtSessions(of: users)
    }

    private func lookAtSessions(of users: [UserID]) async {
        let opened = await fanOut.sessions(of: users)
        await withTaskGroup(of: Void.self) { group in
            for (token, user) in opened { group.addTask { await self.look(at: token, of: user) } }
        }
    }

    private func look(at session: TokenHash, of user: User) async {
        do {
            if try await !sessions.isAlive(session, of: user) { fanOut.apply(.sessionRevoked(session), to: user.id) }
        } catch {
            unfinished([user.id])
        }
    }

    private func lookAtKeys() async {
        let keys = plan.withLock { $0.takeKeys() }
        let here: Set<TokenHash>
        switch keys {
        case .none: return
        case .some(let keys): here = await fanOut.apiKeys(among: keys)
        case .all: here = await fanOut.apiKeys(among: nil)
        }
        var deleted: Set<TokenHash> = []
        do {
            for key in here where try await directory.apiKey(key) == nil { deleted.insert(key) }
        } catch {
            plan.withLock { $0.addUnfinished(keys) }
        }
        if !deleted.isEmpty { fanOut.revoke(apiKeys: deleted) }
    }

    private func unfinished(_ users: some Sequence<UserID>) {
        plan.withLock { $0.addUnfinished(users) }
    }

    // MARK: What is said of it

    private func feedFailed(_ error: StoreError) {
        let isFirst = isFeedAway.withLock { isAway in
            defer { isAway = true }
            return !isAway
        }
        guard isFirst else { return }
        logger.warning(
            "changes of users cannot be read; what nobody tells of is found when the database is back",
            metadata: ["reason": "\(error)"])
    }

    private func feedAnswered() {
        let wasAway = isFeedAway.withLock { isAway in
            defer { isAway = false }
            return isAway
        }
        if wasAway { logger.notice("changes of users are read again") }
    }
}
