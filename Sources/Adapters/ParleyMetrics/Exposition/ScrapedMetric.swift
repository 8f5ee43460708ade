/// A metric whose values are read at each scrape.
package struct ScrapedMetric: Sendable {
    /// One value.
    package struct Sample: Sendable {
        let value: Double
        let labels: LabelSet

        package init(_ value: Double, labels: [(String, String)] = []) {
            self.value = value
            self.labels = LabelSet(labels)
        }
    }

    let name: String
    let kind: MetricKind
    let help: String
    let samples: [Sample]

    /// - Parameters:
    ///   - name: as exported; a counter's name ends with `_total`.
    ///   - kind: a counter or a gauge.
    package init(name: String, kind: MetricKind, help: String, samples: [Sample]) {
        self.name = MetricName.metric(name)
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    func write(to writer: inout ExpositionWriter) {
        writer.begin(name, kind, help: help)
        for sample in samples.sorted(by: { $0.labels.text < $1.labels.text }) {
            writer.sample(name, sample.labels.text, sample.value)
        }
    }
}
