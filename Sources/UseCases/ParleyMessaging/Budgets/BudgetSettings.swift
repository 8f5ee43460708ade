package import ParleyModel

/// Settings and dependencies shared by the budgets of all users on a node.
package struct BudgetSettings: Sendable {
    package let limits: Limits
    /// The store of the shared budgets; `nil` disables them.
    package let rates: (any RateStore)?
    /// The monotonic clock in microseconds from which callers take `now`.
    package let uptime: @Sendable () -> Int64
    /// Runs an operation in the background. Returns `false` if the operation is rejected.
    package let submit: @Sendable (@escaping @Sendable () async -> Void) -> Bool
    /// Called for each command that exceeds its budget.
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
    /// Returns the bucket of a budget that all nodes share because its events are published to others, or `nil` for a budget
    /// that each node keeps for itself.
    func key(of user: UserID) -> RateKey? {
        switch self {
        case .sends: .sends(user)
        case .reads: .reads(user)
        case .typing: .typing(user)
        case .history, .lists, .searches, .files, .watches, .resumes, .auths, .pings: nil
        }
    }
}
