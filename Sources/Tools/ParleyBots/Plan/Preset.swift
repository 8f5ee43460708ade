/// Named plans for common questions.
package enum Preset: String, CaseIterable, Hashable, Sendable {
    /// A quick functional check of some seconds.
    case smoke
    /// A thousand people in rooms of ten.
    case chat
    /// One room with a thousand members.
    case fanout
    /// Many idle sockets.
    case idle
    /// All sockets are cut at once under load, and reconnect.
    case storm
    /// A long run with everything: churn, slow readers, bursts, both dialects.
    case soak

    package var plan: LoadPlan {
        var plan = LoadPlan()
        switch self {
        case .smoke:
            (plan.bots, plan.threads, plan.members) = (20, 4, 5)
            (plan.rate, plan.duration, plan.warmUp) = (20, 3, 1)
            (plan.classicShare, plan.typingShare, plan.readShare) = (0.2, 0.1, 0.1)
        case .chat:
            (plan.bots, plan.threads, plan.members) = (1000, 100, 10)
            (plan.rate, plan.duration, plan.warmUp) = (200, 20, 3)
            (plan.typingShare, plan.readShare) = (0.2, 0.2)
            plan.textBytes = 40...200
        case .fanout:
            (plan.bots, plan.threads, plan.members) = (1000, 1, 1000)
            (plan.rate, plan.duration, plan.warmUp) = (20, 15, 3)
            plan.arrivals = .even
        case .idle:
            (plan.bots, plan.threads, plan.members) = (20_000, 2_000, 10)
            (plan.rate, plan.duration, plan.warmUp) = (0, 30, 0)
            // A node accepts 1,000 sockets from one address.
            (plan.connectRate, plan.sources) = (2000, 25)
        case .storm:
            (plan.bots, plan.threads, plan.members) = (2000, 400, 5)
            (plan.rate, plan.duration, plan.warmUp) = (200, 20, 3)
            (plan.stormAt, plan.sources) = (8, 4)
        case .soak:
            (plan.bots, plan.threads, plan.members) = (1000, 150, 10)
            (plan.rate, plan.duration, plan.warmUp) = (200, 600, 10)
            (plan.memberSkew, plan.activitySkew, plan.textBytes) = (0.8, 0.8, 40...1000)
            (plan.classicShare, plan.readersShare, plan.slowShare) = (0.2, 0.3, 0.01)
            (plan.typingShare, plan.readShare, plan.churn) = (0.2, 0.2, 2)
            (plan.burst, plan.burstEvery) = (200, 10)
        }
        return plan
    }

    package static func unknown(_ name: String) -> PlanError {
        PlanError("unknown preset \"\(name)\"; there are \(allCases.map(\.rawValue).joined(separator: ", "))")
    }
}
