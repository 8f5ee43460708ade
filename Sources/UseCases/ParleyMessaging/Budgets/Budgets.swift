package import ParleyModel
import Synchronization

/// The budgets of users on this node, with one `UserBudgets` for all sockets and requests of a user.
///
/// Protected by a lock. Users with sockets are kept until `release`. Afterwards, like users who only use REST, they are kept
/// until their budgets are full again. At most `limit` users without sockets are kept.
package final class Budgets: Sendable {
    private struct Entry {
        let budgets: UserBudgets
        var uses = 0
    }

    private struct State {
        var entries: [UserID: Entry] = [:]
        /// The number of entries at which idle entries are removed.
        var sweepAt = 1024

        /// Removes idle entries once the number of entries is at least 1024 and has doubled since the last sweep. Called before
        /// a user is added.
        mutating func sweep(at now: Int64) {
            guard entries.count >= sweepAt else { return }
            entries = entries.filter { $0.value.uses > 0 || !$0.value.budgets.isIdle(at: now) }
            sweepAt = max(1024, 2 * entries.count)
        }
    }

    let settings: BudgetSettings
    private let limit: Int
    private let state = Mutex(State())
    /// The last reported number of nodes that grant tokens, for users that are added later.
    private let nodes = Atomic<Int>(1)

    /// - Parameter limit: The maximum number of users without a socket that are kept. Further users are not limited by the
    ///   budgets of this node alone.
    package init(_ settings: BudgetSettings, limit: Int = 200_000) {
        self.settings = settings
        self.limit = limit
    }

    /// The number of users that are kept.
    package var count: Int { state.withLock { $0.entries.count } }

    /// Sets the number of live nodes.
    package func setNodeCount(_ count: Int) {
        nodes.store(max(1, count), ordering: .relaxed)
    }

    // MARK: Sockets

    /// Returns the budgets of `user`. Each call must be balanced by `release`.
    package func retain(_ user: UserID) -> UserBudgets {
        let now = settings.uptime()
        return state.withLock { state in
            if let known = state.entries[user] {
                state.entries[user]?.uses += 1
                return known.budgets
            }
            state.sweep(at: now)
            let budgets = make(user)
            state.entries[user] = Entry(budgets: budgets, uses: 1)
            return budgets
        }
    }

    /// Ends one use by a socket. The budgets are kept until they are full again.
    package func release(_ user: UserID) {
        let now = settings.uptime()
        state.withLock { state in
            guard let entry = state.entries[user] else { return }
            if entry.uses <= 1, entry.budgets.isIdle(at: now) {
                state.entries[user] = nil
            } else {
                // A reconnect must not restore used tokens.
                state.entries[user]?.uses = max(0, entry.uses - 1)
            }
        }
    }

    private func make(_ user: UserID) -> UserBudgets {
        UserBudgets(of: user, settings, nodes: nodes.load(ordering: .relaxed))
    }

    // MARK: Requests

    /// Takes one token of a user's budget, for callers that can wait for the result: REST, joins and leaves.
    ///
    /// While the shared store is unavailable, no user is limited.
    /// - Throws: `rateLimited`.
    package func charge(_ user: UserID, _ kind: BudgetKind = .sends) async throws(MessagingError) {
        let wait: Int64
        if let key = kind.key(of: user) {
            let budget = settings.limits.budget(of: kind)
            guard let rates = settings.rates, budget.perSecond > 0 else { return }
            // This is the full rate. Sockets request a lower one from the same bucket, since their node grants a part locally
            // (`SharedRate`); here every token is requested from the store.
            let rate = TokenRate(interval: 1 + (1_000_000 - 1) / Int64(budget.perSecond), burst: budget.burst)
            wait = (try? await rates.take(1, of: key, at: rate)) ?? 0
            if wait > 0 { settings.limitReached(ReachedLimit(kind)) }
        } else {
            guard case .wait(let time)? = known(user)?.take(kind, at: settings.uptime()) else { return }
            wait = time
        }
        if wait > 0 { throw .rateLimited(afterMilliseconds: (wait + 999) / 1000) }
    }

    /// Begins a read request of a user: takes one token of `kind`, which is a budget of this node, and counts the request as in
    /// progress if the kind has a limit (`Limits.atOnce`).
    /// - Returns: The use that counts the request until it ends; `nil` if there is no limit.
    /// - Throws: `rateLimited`. Nothing was taken then.
    package func begin(_ kind: BudgetKind, by user: UserID) throws(MessagingError) -> BudgetUse? {
        try known(user)?.begin(kind, at: settings.uptime())
    }

    /// Returns the budgets of a user who may have no socket, or `nil` if too many such users are kept.
    private func known(_ user: UserID) -> UserBudgets? {
        let now = settings.uptime()
        return state.withLock { state in
            if let known = state.entries[user] { return known.budgets }
            state.sweep(at: now)
            guard state.entries.count < limit else { return nil }
            let budgets = make(user)
            state.entries[user] = Entry(budgets: budgets)
            return budgets
        }
    }
}
