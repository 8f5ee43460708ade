package import ParleyModel
import Synchronization

/// The budgets of users on this node: one `UserBudgets` for all sockets and requests of a user.
///
/// Owned by a lock. Users with sockets are kept until `release`, and then, as those who come over REST alone, until their
/// budgets are full again; those over REST at most up to `limit`.
package final class Budgets: Sendable {
    private struct Entry {
        let budgets: UserBudgets
        var uses = 0
    }

    private struct State {
        var entries: [UserID: Entry] = [:]
        /// At how many entries those that nobody uses go.
        var sweepAt = 1024

        /// Before a user is added: at most half of those who are kept, or a thousand, could go.
        mutating func sweep(at now: Int64) {
            guard entries.count >= sweepAt else { return }
            entries = entries.filter { $0.value.uses > 0 || !$0.value.budgets.isIdle(at: now) }
            sweepAt = max(1024, 2 * entries.count)
        }
    }

    private let settings: BudgetSettings
    private let limit: Int
    private let state = Mutex(State())
    /// How many nodes grant, as far as is known; for users who come from now on.
    private let nodes = Atomic<Int>(1)

    /// - Parameter limit: the most users that are kept in mind without a socket; above it they are not limited by
    ///   budgets of this node alone.
    package init(_ settings: BudgetSettings, limit: Int = 200_000) {
        self.settings = settings
        self.limit = limit
    }

    /// How many users are kept in mind.
    package var count: Int { state.withLock { $0.entries.count } }

    /// So many nodes are alive.
    package func know(nodes count: Int) {
        nodes.store(max(1, count), ordering: .relaxed)
    }

    // MARK: Sockets

    /// The budgets of `user`; to be given back by `release`.
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

    package func release(_ user: UserID) {
        let now = settings.uptime()
        state.withLock { state in
            guard let entry = state.entries[user] else { return }
            if entry.uses <= 1, entry.budgets.isIdle(at: now) {
                state.entries[user] = nil
            } else {
                // What was used up must not come back by a reconnect.
                state.entries[user]?.uses = max(0, entry.uses - 1)
            }
        }
    }

    private func make(_ user: UserID) -> UserBudgets {
        UserBudgets(of: user, settings, nodes: nodes.load(ordering: .relaxed))
    }

    // MARK: Requests

    /// Takes one of a user's budget, for whoever can wait for the answer: REST, joins and leaves.
    ///
    /// While the ledger is away nobody is held up by it.
    /// - Throws: `rateLimited`.
    package func charge(_ user: UserID, _ kind: BudgetKind = .sends) async throws(MessagingError) {
        let wait: Int64
        if let key = kind.key(of: user) {
            let budget = settings.limits.budget(of: kind)
            guard let rates = settings.rates, budget.perSecond > 0 else { return }
            // The whole of the budget: sockets ask the same bucket for less, since their node grants some by itself
            // (`SharedRate`), and here each one is asked for.
            let rate = TokenRate(interval: 1 + (1_000_000 - 1) / Int64(budget.perSecond), burst: budget.burst)
            wait = (try? await rates.take(1, of: key, at: rate)) ?? 0
            if wait > 0 { settings.limitReached(ReachedLimit(kind)) }
        } else {
            guard case .wait(let time)? = known(user)?.take(kind, at: settings.uptime()) else { return }
            wait = time
        }
        if wait > 0 { throw .rateLimited(afterMilliseconds: (wait + 999) / 1000) }
    }

    /// The budgets of a user who may have no socket; `nil` if there are too many of these.
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
