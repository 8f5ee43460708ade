import ParleyMessaging
import ParleyModel

extension BudgetSettings {
    /// Budgets whose work runs in tasks.
    static func forTests(
        _ limits: Limits = Limits(), rates: (any RateStore)? = nil,
        uptime: @escaping @Sendable () -> Int64 = { 0 }
    ) -> BudgetSettings {
        BudgetSettings(
            limits: limits, rates: rates, uptime: uptime,
            submit: { work in
                Task { await work() }
                return true
            })
    }
}
