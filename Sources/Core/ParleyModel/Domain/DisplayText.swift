/// The rules for titles and display names.
///
/// Invisible characters make one name look like another, and directional controls change how the surrounding text reads.
/// Joiners and variation selectors are allowed where emoji and scripts need them.
package enum DisplayText {
    /// The reason that a text is not allowed.
    package enum Violation: Hashable, Sendable {
        case nothingVisible
        case direction
        case invisible

        /// The violation as a text for the client, which continues the name of the field.
        package var explanation: String {
            switch self {
            case .nothingVisible: "shows nothing; at least one visible character is required"
            case .direction: "contains a control of text direction, which is not allowed"
            case .invisible: "contains an invisible character, which is not allowed there"
            }
        }
    }

    /// Returns the first violation in a text, or `nil`. Control characters and line breaks are checked by the caller.
    package static func violation(in text: String) -> Violation? {
        let scalars = Array(text.unicodeScalars)
        var isVisible = false
        for (index, scalar) in scalars.enumerated() {
            if scalar.properties.isBidiControl { return .direction }
            if isInvisible(scalar) {
                if !isNeeded(at: index, in: scalars) { return .invisible }
            } else if !scalar.properties.isWhitespace, !isBlank(scalar) {
                isVisible = true
            }
        }
        return isVisible ? nil : .nothingVisible
    }

    /// Whether a character other than a space is invisible by itself.
    package static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 { return false }
        return scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format
    }

    /// Whether a character looks blank although it is a symbol (a Braille pattern without dots, a note without a head), or is
    /// not a character at all.
    package static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0x2800 || scalar.value == 0x1D159 || scalar.properties.isNoncharacterCodePoint
    }

    /// Whether the neighbours of an invisible character need it.
    static func isNeeded(at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        let before = index > 0 ? scalars[index - 1] : nil
        let after = index + 1 < scalars.count ? scalars[index + 1] : nil
        switch scalars[index].value {
        case 0x200C, 0x200D: return joins(before, after, isWide: scalars[index].value == 0x200D)
        case 0xFE0E, 0xFE0F: return before.map { isEmojiBase($0, followedBy: after) } ?? false
        case 0x180B...0x180D, 0x180F: return before.map { isMongolian($0) } ?? false
        case 0xFE00...0xFE0D, 0xE0100...0xE01EF: return before.map(hasVariants) ?? false
        case 0xE0020...0xE007F: return isTagOfFlag(at: index, in: scalars)
        // Arabic, Syriac and Kaithi prefixes of numbers and marks, which are visible.
        case 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2, 0x110BD, 0x110CD: return true
        default: return false
        }
    }

    /// - Parameter isWide: Whether the character is a joiner, which also combines emoji, rather than a non-joiner.
    private static func joins(_ before: Unicode.Scalar?, _ after: Unicode.Scalar?, isWide: Bool) -> Bool {
        guard let before else { return false }
        if before.properties.canonicalCombiningClass == .virama { return true }
        guard let after else { return false }
        if after.properties.canonicalCombiningClass == .virama { return isBrahmic(before) }
        if isCursive(before), isCursive(after) { return true }
        let isPicture = isEmoji(before) || before.value == 0xFE0F || before.properties.isEmojiModifier
        return isWide && isPicture && isEmoji(after)
    }

    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool { scalar.value > 0xFF && scalar.properties.isEmoji }

    /// Digits, `#` and `*` are emoji only in keycaps.
    private static func isEmojiBase(_ scalar: Unicode.Scalar, followedBy after: Unicode.Scalar?) -> Bool {
        guard scalar.properties.isEmoji else { return false }
        return scalar.value >= 0x80 || after?.value == 0x20E3
    }

    /// Letters and marks of cursive scripts: Arabic, Syriac, N'Ko, Mandaic, Mongolian, Phags-pa.
    private static func isCursive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x620...0x6EF, 0x6FA...0x8FF, 0xA840...0xA877: !scalar.properties.isBidiControl
        default: isMongolian(scalar)
        }
    }

    private static func isMongolian(_ scalar: Unicode.Scalar) -> Bool {
        (0x1807...0x18AA).contains(scalar.value) && !(0x180B...0x180F).contains(scalar.value)
    }

    private static func isBrahmic(_ scalar: Unicode.Scalar) -> Bool { (0x900...0x1CFF).contains(scalar.value) }

    /// Ideographs, mathematical symbols, and letters of scripts that have variation sequences.
    private static func hasVariants(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isIdeographic { return true }
        return switch scalar.value {
        case 0x1000...0x109F, 0xA840...0xA877, 0x2200...0x22FF, 0x2A00...0x2AFF, 0xFF00...0xFFEF, 0x3001...0x3002: true
        default: isMongolian(scalar)
        }
    }

    /// The flag of a region: a black flag, tags of lower-case letters and digits, and a tag that ends them.
    private static func isTagOfFlag(at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        let isTag = { (scalar: Unicode.Scalar) in (0xE0020...0xE007F).contains(scalar.value) }
        guard let base = scalars[..<index].lastIndex(where: { !isTag($0) }), scalars[base].value == 0x1F3F4 else {
            return false
        }
        let tags = scalars[(base + 1)...].prefix(while: isTag)
        return (2...7).contains(tags.count) && tags.last?.value == 0xE007F
            && tags.dropLast().allSatisfy { $0.value != 0xE007F }
    }
}
