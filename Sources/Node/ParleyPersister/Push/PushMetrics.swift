import CoreMetrics
import Metrics
import ParleyMessaging
import ParleyModel

/// The metrics of the pushes that this process sends.
struct PushMetrics: Sendable {
    private let factory: any MetricsFactory

    /// - Parameter factory: Makes `parley_pushes_total`.
    init(factory: any MetricsFactory) {
        self.factory = factory
    }

    func sent(_ kind: PushAddress.Kind, _ outcome: PushOutcome) {
        Counter(
            label: "parley_pushes_total", dimensions: [("kind", kind.rawValue), ("outcome", outcome.result.rawValue)],
            factory: factory
        ).increment()
    }
}

extension PushOutcome {
    fileprivate var result: PushResult {
        switch self {
        case .delivered: .delivered
        case .gone: .gone
        case .retry: .retry
        case .refused: .refused
        case .misconfigured: .misconfigured
        }
    }
}
