import CoreMetrics
import Metrics
import ParleyMessaging
import ParleyModel

/// The metrics of the pushes that this process sends.
struct PushMetrics: Sendable {
    private let factory: any MetricsFactory

    /// - Parameter factory: Makes `parley_pushes_total`, whose series all begin at 0, so that an increase is seen from the first
    ///   push on.
    init(factory: any MetricsFactory) {
        self.factory = factory
        for kind in PushAddress.Kind.allCases {
            for result in PushResult.allCases { counter(kind, result).increment(by: 0) }
        }
    }

    func sent(_ kind: PushAddress.Kind, _ outcome: PushOutcome) { counter(kind, outcome.result).increment() }

    private func counter(_ kind: PushAddress.Kind, _ result: PushResult) -> Counter {
        Counter(
            label: "parley_pushes_total", dimensions: [("kind", kind.rawValue), ("outcome", result.rawValue)],
            factory: factory)
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
