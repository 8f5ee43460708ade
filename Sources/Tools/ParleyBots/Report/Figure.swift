/// Formats numbers for people.
enum Figure {
    /// A number with this many decimals.
    static func fixed(_ value: Double, _ digits: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "–" }
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int64((abs(value) * scale).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        let (whole, rest) = (scaled / Int64(scale), scaled % Int64(scale))
        guard digits > 0 else { return "\(sign)\(whole)" }
        let text = String(rest)
        return "\(sign)\(whole).\(String(repeating: "0", count: digits - text.count))\(text)"
    }

    /// Three significant digits, or all digits of a larger integer.
    static func short(_ value: Double) -> String {
        switch abs(value) {
        case 100...: fixed(value, 0)
        case 10...: fixed(value, 1)
        default: fixed(value, 2)
        }
    }

    /// A duration in milliseconds.
    static func milliseconds(_ microseconds: Int64) -> String { short(Double(microseconds) / 1000) }

    /// 1,234,567.
    static func grouped(_ value: Int) -> String {
        var digits = String(abs(value))
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        groups.insert(digits, at: 0)
        return (value < 0 ? "-" : "") + groups.joined(separator: ",")
    }

    /// A number of bytes with its unit.
    static func bytes(_ value: Double) -> String {
        switch abs(value) {
        case 1_048_576...: "\(short(value / 1_048_576)) MiB"
        case 1024...: "\(short(value / 1024)) KiB"
        default: "\(fixed(value, 0)) B"
        }
    }
}
