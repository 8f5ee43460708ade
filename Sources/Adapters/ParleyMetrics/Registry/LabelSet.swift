/// The labels of a series in their exported form, so that equal sets are equal strings.
///
/// Names are made valid and sorted; of duplicate names the first stays; values are truncated to
/// `LabelSet.maximumValueScalars`.
struct LabelSet: Hashable, Sendable {
    /// Maximum length of a label value, in Unicode scalars.
    static let maximumValueScalars = 128

    /// `a="x",b="y"`, escaped; empty if there are none.
    let text: String
    private let names: [String]

    init(_ dimensions: [(String, String)]) {
        var values: [String: String] = [:]
        for (name, value) in dimensions {
            let name = MetricName.label(name)
            if values[name] == nil { values[name] = value }
        }
        names = values.keys.sorted()
        text = names.map { "\($0)=\"\(Self.escaped(values[$0] ?? ""))\"" }.joined(separator: ",")
    }

    /// The same names, each with the value `other`.
    var others: LabelSet {
        LabelSet(names.map { ($0, "other") })
    }

    /// The text with one label appended.
    func with(_ name: String, _ value: String) -> String {
        text.isEmpty ? "\(name)=\"\(value)\"" : "\(text),\(name)=\"\(value)\""
    }

    private static func escaped(_ value: String) -> String {
        ExpositionWriter.escaped(value.unicodeScalars.prefix(maximumValueScalars), isQuoted: true)
    }
}
