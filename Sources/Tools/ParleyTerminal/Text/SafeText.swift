import ParleyModel

/// Makes text from other users safe to print on a terminal.
///
/// Escape sequences and control characters, C0 and C1, are never printed. Characters that change the direction of the
/// following text are removed, because they make a line appear different from the sent text.
package enum SafeText {
    /// The maximum number of combining scalars after a base.
    static let maximumMarks = 8

    /// Returns one line: line breaks and tabs become spaces.
    package static func line(_ text: String) -> String { withoutSelectors(clean(text, lineBreak: " ")) }

    /// Returns a name or a title on one line. Invisible characters and changes of direction are shown as `‹U+202E›`, so
    /// that no name can imitate another.
    package static func name(_ text: String) -> String { line(DisplayText.marked(text)) }

    /// Returns several lines, separated by `\n`; tabs become spaces.
    package static func lines(_ text: String) -> String { withoutSelectors(clean(text, lineBreak: "\n")) }

    /// Returns one line, with line breaks shown as ` ⏎ `.
    package static func marked(_ text: String) -> String {
        clean(text, lineBreak: "\n").split(separator: "\n", omittingEmptySubsequences: false).joined(separator: " ⏎ ")
    }

    /// Removes variation selectors, because terminals disagree on their effect on the width of a symbol.
    private static func withoutSelectors(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { (0xFE00...0xFE0F).contains($0.value) }) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { !(0xFE00...0xFE0F).contains($0.value) }))
    }

    private static func clean(_ text: String, lineBreak: Unicode.Scalar) -> String {
        var result = String.UnicodeScalarView()
        var marks = 0
        var wasCarriageReturn = false
        for scalar in text.unicodeScalars {
            defer { wasCarriageReturn = scalar == "\r" }
            switch scalar.value {
            case 0x0A where wasCarriageReturn: continue
            case 0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029: result.append(lineBreak)
            case 0x09: result.append(contentsOf: "    ".unicodeScalars)
            // The symbols for control characters.
            case 0..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
            case 0x7F: result.append("\u{2421}")
            case 0x80..<0xA0: result.append("\u{FFFD}")
            default:
                if isHidden(scalar) { continue }
                let isMark = scalar.properties.isGraphemeExtend
                marks = isMark ? marks + 1 : 0
                if marks > maximumMarks { continue }
                result.append(scalar.properties.generalCategory == .unassigned ? "\u{FFFD}" : scalar)
                continue
            }
            marks = 0
        }
        return String(result)
    }

    /// Returns whether a scalar is an invisible formatting character, except for those that join emoji and letters.
    static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200C, 0x200D: false
        case 0xAD, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF: true
        default:
            scalar.properties.isBidiControl
                || scalar.properties.isDefaultIgnorableCodePoint && scalar.properties.generalCategory != .nonspacingMark
        }
    }
}
