/// The types of the Prometheus text format that this backend uses.
package enum MetricKind: String, Sendable {
    case counter
    case gauge
    case histogram

    /// The sample names of a family of this kind; no other family may use them.
    func exportedNames(of family: String) -> [String] {
        switch self {
        case .counter, .gauge: [family]
        case .histogram: [family, family + "_bucket", family + "_sum", family + "_count"]
        }
    }
}
