/// Wraps and cuts text by its width in columns.
package enum TextLayout {
    /// Returns lines of at most `width` columns. Lines are broken at spaces and between wide characters, and inside
    /// words only if a word is longer than a line.
    /// - Parameters:
    ///   - text: A text that is safe to print; `\n` ends a line.
    ///   - first: The width of the first line, if other text precedes it.
    package static func wrap(_ text: String, width: Int, first: Int? = nil) -> [String] {
        let width = max(1, width)
        var lines: [String] = []
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            wrap(paragraph, width: width, first: max(1, lines.isEmpty ? first ?? width : width), into: &lines)
        }
        return lines
    }

    private static func wrap(_ paragraph: Substring, width: Int, first: Int, into lines: inout [String]) {
        var start = paragraph.startIndex
        var limit = first
        var used = 0
        /// The last possible break: the end of the line's text, and the start of the next line.
        var possible: (end: Substring.Index, next: Substring.Index)?
        var wasWide = false
        var index = start
        while index < paragraph.endIndex {
            let character = paragraph[index]
            let columns = DisplayWidth.of(character)
            let next = paragraph.index(after: index)
            if character == " " {
                // A space at the end of a line occupies no column.
                possible = (trimmed(paragraph, start, index), next)
                used += 1
                wasWide = false
                index = next
                continue
            }
            if columns == 2, used > 0 { possible = (trimmed(paragraph, start, index), index) }
            if used + columns > limit, index > start {
                let (end, after) = possible ?? (index, index)
                lines.append(String(paragraph[start..<end]))
                // The rest of the line is measured again, because the next line may be shorter.
                (start, index) = (after, after)
                (limit, used, possible, wasWide) = (width, 0, nil, false)
                continue
            }
            used += columns
            wasWide = columns == 2
            if wasWide { possible = (next, next) }
            index = next
        }
        lines.append(String(paragraph[start..<trimmed(paragraph, start, paragraph.endIndex)]))
    }

    private static func trimmed(
        _ text: Substring, _ start: Substring.Index, _ end: Substring.Index
    ) -> Substring.Index {
        var end = end
        while end > start, text[text.index(before: end)] == " " { end = text.index(before: end) }
        return end
    }

    /// Returns the text, cut to `width` columns with an ellipsis.
    package static func cut(_ text: String, to width: Int) -> String {
        guard DisplayWidth.of(text) > width else { return text }
        guard width > 0 else { return "" }
        var (result, used) = ("", 0)
        for character in text {
            let columns = DisplayWidth.of(character)
            if used + columns > width - 1 { break }
            result.append(character)
            used += columns
        }
        return result + "…"
    }
}
