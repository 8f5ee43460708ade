/// All series of one metric name.
struct MetricFamily: Sendable {
    private struct Entry: Sendable {
        let series: any Series
        /// Requests for the series minus destructions.
        var uses: Int
    }

    let name: String
    let kind: MetricKind
    let help: String
    /// Requests that were answered with the series `other`.
    private(set) var overflowed: Int64 = 0
    private var entries: [LabelSet: Entry] = [:]
    /// The labels of the series for everything above the limit.
    private var other: LabelSet?

    init(name: String, kind: MetricKind, help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    /// The series of `labels`, created if needed.
    /// - Parameter limit: maximum number of series, not counting the single one named `other`.
    mutating func series<S: Series>(_ labels: LabelSet, limit: Int, make: (LabelSet) -> S) -> any Series {
        if let known = use(labels) { return known }
        var labels = labels
        if entries.count - (other == nil ? 0 : 1) >= limit {
            overflowed += 1
            if let other, let known = use(other) { return known }
            labels = labels.others
            other = labels
            // The program may use the value `other` itself; both then share the series.
            if let known = use(labels) { return known }
        }
        let series = make(labels)
        entries[labels] = Entry(series: series, uses: 1)
        return series
    }

    private mutating func use(_ labels: LabelSet) -> (any Series)? {
        guard var entry = entries[labels] else { return nil }
        entry.uses += 1
        entries[labels] = entry
        return entry.series
    }

    /// Ends one use of `series`, and removes it after the last one.
    /// - Returns: whether the family has no series left.
    mutating func drop(_ series: any Series) -> Bool {
        guard var entry = entries[series.labels], entry.series === series else { return false }
        entry.uses -= 1
        entries[series.labels] = entry.uses > 0 ? entry : nil
        if entry.uses == 0, series.labels == other { other = nil }
        return entries.isEmpty
    }

    /// The present values of the series with a label, in the form `name="value"`; of all series if `nil`.
    func values(with label: String?) -> [Double] {
        entries.values.filter { entry in label.map { entry.series.labels.text.contains($0) } ?? true }
            .map(\.series.value)
    }

    /// The sums of all series.
    var sums: [Double] { entries.values.map(\.series.sum) }

    func write(to writer: inout ExpositionWriter) {
        writer.begin(name, kind, help: help)
        for entry in entries.values.sorted(by: { $0.series.labels.text < $1.series.labels.text }) {
            entry.series.write(to: &writer)
        }
    }
}

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

/// One exported line of a family, or the group of lines of a histogram.
protocol Series: AnyObject, Sendable {
    /// The name of the family.
    var family: String { get }
    var labels: LabelSet { get }
    /// The present value; for a histogram, the number of values.
    var value: Double { get }
    /// The sum of all values of a histogram; `value` for any other series.
    var sum: Double { get }
    /// Writes the present value.
    func write(to writer: inout ExpositionWriter)
}

extension Series {
    var sum: Double { value }
}
