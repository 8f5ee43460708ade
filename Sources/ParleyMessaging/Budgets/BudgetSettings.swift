package import ParleyModel

/// What the budgets of all users of a node have in common.
package struct BudgetSettings: Sendable {
    package let limits: Limits
    /// Where the shared budgets are; `nil`: nobody is limited by them.
    package let rates: (any RateStore)?
    /// Microseconds by a clock that never goes back, the same by which the callers tell the time.
    package let uptime: @Sendable () -> Int64
    /// Runs something elsewhere; `false` if it is refused.
    package let submit: @Sendable (@escaping @Sendable () async -> Void) -> Bool
    /// Called for each command that is over its budget.
    package let limitReached: @Sendable (ReachedLimit) -> Void

    package init(
        limits: Limits, rates: (any RateStore)?, uptime: @escaping @Sendable () -> Int64,
        submit: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Bool,
        limitReached: @escaping @Sendable (ReachedLimit) -> Void = { _ in }
    ) {
        self.limits = limits
        self.rates = rates
        self.uptime = uptime
        self.submit = submit
        self.limitReached = limitReached
    }
}

extension BudgetKind {
    /// The bucket of a shared budget; `nil` for one that each node has for itself.
    func key(of user: UserID) -> RateKey? {
        switch self {
        case .sends: .sends(user)
        case .reads: .reads(user)
        case .typing: .typing(user)
        case .history, .watches, .resumes, .auths, .pings: nil
        }
    }
}
