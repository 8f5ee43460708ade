extension DisplayText {
    /// Returns a name or title with every disallowed character made visible, as in `‹U+202E›`. Such texts may originate in
    /// other systems; the marks show readers that a character is there.
    package static func marked(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        let scalars = Array(text.unicodeScalars)
        var shown = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            let isHidden =
                scalar.properties.isBidiControl || isBlank(scalar)
                || isInvisible(scalar) && !isNeeded(at: index, in: scalars)
            if isHidden {
                shown.append(contentsOf: mark(scalar).unicodeScalars)
            } else {
                shown.append(scalar)
            }
        }
        return String(shown)
    }

    private static func mark(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "‹U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)›"
    }
}
