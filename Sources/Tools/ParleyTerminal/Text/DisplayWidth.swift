/// The number of columns that a text occupies. The C library's `wcwidth` supports only UTF-8 locales, and no sequences.
package enum DisplayWidth {
    package static func of(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    /// Returns 0, 1 or 2, and more for characters that consist of several letters, as in Devanagari.
    package static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if first.value < 0x7F, scalars.count == 1 { return first.value < 0x20 ? 0 : 1 }
        let isSequence = scalars.contains { $0.value == 0x200D || $0.properties.isEmojiModifier }
        if isEmoji(first) || (isSequence && first.properties.isEmoji && first.value > 0xFF) { return 2 }
        return scalars.reduce(0) { $0 + of($1) }
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: 0
        default:
            // Vowels and final consonants of Hangul join the preceding syllable.
            (0x1160...0x11FF).contains(scalar.value) ? 0 : isWide(scalar.value) || isEmoji(scalar) ? 2 : 1
        }
    }

    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmojiPresentation
    }

    /// The ranges of East Asian Width W and F, without emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]

    private static func isWide(_ value: UInt32) -> Bool {
        var (low, high) = (0, wide.count)
        while low < high {
            let middle = (low + high) / 2
            if wide[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < wide.count && wide[low].contains(value)
    }
}
