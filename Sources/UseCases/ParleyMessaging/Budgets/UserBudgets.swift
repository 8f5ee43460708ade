package import ParleyModel
import Synchronization

/// The remaining budgets of one user on this node.
///
/// Protected by a lock that only this user's sockets and requests share. It is held for some nanoseconds, and nothing waits
/// while holding it.
package final class UserBudgets: Sendable {
    private struct State {
        var sends: SharedRate
        var reads: SharedRate
        var typing: SharedRate
        /// The rates that apply to this node alone.
        var local: [BudgetKind: LocalRate] = [:]
        /// The number of actions in progress, of the kinds that have a limit.
        var running: [BudgetKind: Int] = [:]
        var throttle = TypingThrottle()
        /// A typing indicator that is published once the shared store grants it.
        var lateTyping: TypingIndicator?

        func isFull(at now: Int64) -> Bool {
            [sends, reads, typing].allSatisfy { $0.isFull(at: now) }
                && local.values.allSatisfy { $0.isFull(at: now) } && running.isEmpty
        }
    }

    /// A typing indicator of a user in one thread.
    struct TypingIndicator: Sendable {
        let thread: ThreadID
        let isOn: Bool
    }

    package let user: UserID
    private let settings: BudgetSettings
    private let state: Mutex<State>

    /// - Parameter nodes: The last reported number of nodes that grant tokens at the same time.
    init(of user: UserID, _ settings: BudgetSettings, nodes: Int) {
        self.user = user
        self.settings = settings
        func shared(_ kind: BudgetKind) -> SharedRate {
            let budget = settings.limits.budget(of: kind)
            let isLimited = settings.rates != nil
            return SharedRate(perSecond: isLimited ? budget.perSecond : 0, burst: budget.burst, nodes: nodes)
        }
        state = Mutex(State(sends: shared(.sends), reads: shared(.reads), typing: shared(.typing)))
    }

    /// Takes one token of a budget, if available.
    /// - Parameters:
    ///   - now: The time in microseconds, by `BudgetSettings.uptime`.
    ///   - isCounted: Whether an exceeded budget is counted; `false` for retries.
    package func take(_ kind: BudgetKind, at now: Int64, isCounted: Bool = true) -> Permit {
        let decision = state.withLock { state -> SharedRate.Decision in
            switch kind {
            case .sends: state.sends.take(at: now)
            case .reads: state.reads.take(at: now)
            case .typing: state.typing.take(at: now)
            case .history, .lists, .searches, .files, .watches, .resumes, .auths, .pings:
                local(kind, &state.local[kind, default: LocalRate()], now)
            }
        }
        switch decision {
        case .taken: return .granted
        case .requested: return .requested
        case .request(let tokens):
            requestTokens(tokens, of: kind)
            // An in-memory store has already replied.
            return take(kind, at: now, isCounted: isCounted)
        case .wait(let wait):
            if isCounted { settings.limitReached(ReachedLimit(kind)) }
            return .wait(microseconds: wait)
        }
    }

    private func local(_ kind: BudgetKind, _ rate: inout LocalRate, _ now: Int64) -> SharedRate.Decision {
        if case .wait(let wait) = rate.take(settings.limits.budget(of: kind), at: now) {
            .wait(microseconds: wait)
        } else {
            .taken
        }
    }

    // MARK: Actions in progress

    /// The wait of a user with too many actions in progress, in milliseconds. It is about as long as one action takes.
    private static let pauseMilliseconds: Int64 = 1000

    /// Begins an action of a kind that may have a limit, and takes one token.
    /// - Returns: `nil` if the kind has no limit.
    /// - Throws: `rateLimited`. Nothing was taken then.
    func begin(_ kind: BudgetKind, at now: Int64) throws(MessagingError) -> BudgetUse? {
        let most = settings.limits.atOnce(of: kind)
        if let most {
            let isBegun = state.withLock { state in
                guard state.running[kind, default: 0] < most else { return false }
                state.running[kind, default: 0] += 1
                return true
            }
            guard isBegun else {
                settings.limitReached(ReachedLimit(kind))
                throw .rateLimited(afterMilliseconds: Self.pauseMilliseconds)
            }
        }
        if case .wait(let wait) = take(kind, at: now) {
            if most != nil { end(kind) }
            throw .rateLimited(afterMilliseconds: (wait + 999) / 1000)
        }
        return most.map { _ in BudgetUse { [self] in end(kind) } }
    }

    private func end(_ kind: BudgetKind) {
        state.withLock { state in
            let rest = state.running[kind, default: 0] - 1
            state.running[kind] = rest > 0 ? rest : nil
        }
    }

    // MARK: Shared store

    /// Calls the store from the event loop of the send, since a task would cost several times as much as the call.
    private func requestTokens(_ tokens: Int, of kind: BudgetKind) {
        guard let rates = settings.rates, let key = kind.key(of: user), let rate = rate(of: kind) else {
            return answered(kind, .unavailable)
        }
        rates.take(tokens, of: key, at: rate) { [self] result in
            switch result {
            case .success(0): answered(kind, .taken(tokens))
            case .success(let wait): answered(kind, .wait(microseconds: wait))
            case .failure: answered(kind, .unavailable)
            }
        }
    }

    private func rate(of kind: BudgetKind) -> TokenRate? {
        state.withLock { state in
            switch kind {
            case .sends: state.sends.sharedRate
            case .reads: state.reads.sharedRate
            case .typing: state.typing.sharedRate
            case .history, .lists, .searches, .files, .watches, .resumes, .auths, .pings: nil
            }
        }
    }

    private func answered(_ kind: BudgetKind, _ reply: SharedRate.Reply) {
        let now = settings.uptime()
        state.withLock { state in
            switch kind {
            case .sends: state.sends.answered(reply, at: now)
            case .reads: state.reads.answered(reply, at: now)
            case .typing: state.typing.answered(reply, at: now)
            case .history, .lists, .searches, .files, .watches, .resumes, .auths, .pings: break
            }
        }
    }

    // MARK: Typing

    /// The decision about a typing indicator.
    enum TypingVerdict {
        case publish
        case drop
        /// The caller of `lateTyping` publishes the indicator when the shared store has replied.
        case later
    }

    func typing(_ sign: TypingIndicator, at now: Int64) -> TypingVerdict {
        let (isShown, isReplaced) = state.withLock { state in
            guard state.throttle.shows(sign.thread, isOn: sign.isOn, at: now) else { return (false, false) }
            guard let late = state.lateTyping else { return (true, false) }
            // A newer indicator of the same thread replaces the waiting one. An indicator of another thread is dropped.
            if late.thread == sign.thread { state.lateTyping = sign }
            return (true, true)
        }
        guard isShown, !isReplaced else { return .drop }
        switch take(.typing, at: now) {
        case .granted: return .publish
        case .wait: return .drop
        case .requested:
            state.withLock { $0.lateTyping = sign }
            return .later
        }
    }

    /// Waits until the shared store has replied.
    /// - Returns: The indicator to publish; `nil` if it exceeds the budget.
    func lateTyping() async -> TypingIndicator? {
        var permit = Permit.requested
        while permit == .requested {
            do { try await Task.sleep(for: .microseconds(Permit.moment)) } catch { break }
            permit = take(.typing, at: settings.uptime())
        }
        let sign = state.withLock { state in
            defer { state.lateTyping = nil }
            return state.lateTyping
        }
        return permit == .granted ? sign : nil
    }

    /// Drops the waiting indicator, since no task waits for the reply.
    func dropLateTyping() {
        state.withLock { $0.lateTyping = nil }
    }

    /// Whether this value can be dropped: that would restore no tokens, and nothing is in progress.
    package func isIdle(at now: Int64) -> Bool {
        state.withLock { $0.isFull(at: now) && $0.lateTyping == nil }
    }
}

/// A token bucket of one node as a value, represented by the time at which it will be full.
package struct LocalRate: Hashable, Sendable {
    /// The time at which the bucket will be full, in microseconds of the caller's clock.
    private var full: Int64 = 0

    /// Takes one token.
    /// - Parameter now: The time in microseconds of a monotonic clock.
    package mutating func take(_ budget: Budget, at now: Int64) -> Permit {
        guard budget.perSecond > 0 else { return .granted }
        // The interval is rounded up, so that the rate is at worst slightly lower than configured, and never higher.
        let interval = 1 + (1_000_000 - 1) / Int64(budget.perSecond)
        let next = max(full, now) + interval
        let wait = next - now - interval * Int64(max(1, budget.burst))
        guard wait <= 0 else { return .wait(microseconds: wait) }
        full = next
        return .granted
    }

    /// Whether the bucket equals a new one.
    package func isFull(at now: Int64) -> Bool { full <= now }
}
