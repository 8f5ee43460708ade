/// Makes names valid for Prometheus: every disallowed character becomes `_`.
enum MetricName {
    /// A metric name, `[a-zA-Z_:][a-zA-Z0-9_:]*`.
    /// - Parameter suffix: a required suffix; added if absent.
    static func metric(_ label: String, suffix: String = "") -> String {
        let name = valid(label) { $0 == ":" }
        return name.hasSuffix(suffix) ? name : name + suffix
    }

    /// A label name, `[a-zA-Z_][a-zA-Z0-9_]*`; two leading underscores and `le` are reserved.
    static func label(_ label: String) -> String {
        var name = valid(label) { _ in false }
        while name.hasPrefix("__") { name.removeFirst() }
        return name == "le" ? "le_" : name
    }

    /// The name as words, the default help text of a metric.
    static func words(of name: String) -> String {
        name.replacing("_", with: " ") + "."
    }

    private static func valid(_ text: String, alsoAllowed: (Unicode.Scalar) -> Bool) -> String {
        var name = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "_":
                name.append(scalar)
            case "0"..."9":
                if name.isEmpty { name.append("_") }
                name.append(scalar)
            default:
                name.append(alsoAllowed(scalar) ? scalar : "_")
            }
        }
        return name.isEmpty ? "_" : String(name)
    }
}
