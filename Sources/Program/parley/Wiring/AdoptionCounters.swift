import Metrics
import ParleyMessaging
import ParleyModel

/// Counts what becomes of events of adopted types.
struct AdoptionCounters: Sendable {
    private let accepted: Counter
    private let repeated: Counter
    private let failed: [AdoptionFailure: Counter]

    init(factory: any MetricsFactory) {
        func adopted(_ outcome: String) -> Counter {
            Counter(label: "parley_channels_adopted_total", dimensions: [("outcome", outcome)], factory: factory)
        }
        accepted = adopted("accepted")
        repeated = adopted("repeated")
        let label = "parley_channels_not_adopted_total"
        failed = Dictionary(
            uniqueKeysWithValues: AdoptionFailure.allCases.map { failure in
                (failure, Counter(label: label, dimensions: [("reason", failure.rawValue)], factory: factory))
            })
    }

    @Sendable func count(_ outcome: Adopter.Outcome) {
        switch outcome {
        case .accepted: accepted.increment()
        case .repeated: repeated.increment()
        case .failed(let failure): failed[failure]?.increment()
        }
    }
}
