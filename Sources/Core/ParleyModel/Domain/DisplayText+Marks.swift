extension DisplayText {
    /// A text of names or titles in which every character that would be a violation is shown, as `‹U+202E›`. Others than
    /// their owners may have brought such a text; its readers see that there is something.
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
