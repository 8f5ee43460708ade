/// Writes the Prometheus text format, version 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).
struct ExpositionWriter {
    private(set) var text = ""

    /// Writes the two comment lines of a family.
    mutating func begin(_ name: String, _ kind: MetricKind, help: String) {
        text +=
            "# HELP \(name) \(Self.escaped(help.unicodeScalars, isQuoted: false))\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// - Parameter labels: in the form of `LabelSet.text`.
    mutating func sample(_ name: String, _ labels: String, _ value: Int64) {
        line(name, labels, String(value))
    }

    /// - Parameter labels: in the form of `LabelSet.text`.
    mutating func sample(_ name: String, _ labels: String, _ value: Double) {
        line(name, labels, Self.number(value))
    }

    private mutating func line(_ name: String, _ labels: String, _ value: String) {
        text += name
        if !labels.isEmpty { text += "{\(labels)}" }
        text += " \(value)\n"
    }

    /// A number that Go's `ParseFloat` accepts; integers without a fraction.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        if let whole = Int64(exactly: value) { return String(whole) }
        return value.description
    }

    /// - Parameter isQuoted: it stands between quotation marks, as the value of a label.
    static func escaped(_ text: some Sequence<Unicode.Scalar>, isQuoted: Bool) -> String {
        var escaped = ""
        for scalar in text {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where isQuoted: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
