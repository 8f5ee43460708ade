/// Turns frames into terminal output: the lines that differ from the displayed ones.
package struct Painter: Sendable {
    private let hasColors: Bool
    private var shown: [[Span]?] = []

    package init(hasColors: Bool) { self.hasColors = hasColors }

    /// Selects the alternate screen, disables automatic wrap, and enables bracketed paste.
    package static let enter = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J"
    /// Restores the terminal.
    package static let leave = "\u{1B}[?2004l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    /// Forgets the displayed lines, so that the next frame is drawn completely.
    package mutating func reset() { shown = [] }

    package mutating func paint(_ frame: Frame) -> String {
        var output = "\u{1B}[?25l"
        if shown.count != frame.lines.count {
            shown = Array(repeating: nil, count: frame.lines.count)
            output += "\u{1B}[0m\u{1B}[2J"
        }
        for (row, line) in frame.lines.enumerated() where shown[row] != line {
            output += "\u{1B}[\(row + 1);1H\u{1B}[0m\u{1B}[K" + text(line)
            shown[row] = line
        }
        if let (row, column) = frame.cursor { output += "\u{1B}[\(row + 1);\(column + 1)H\u{1B}[?25h" }
        return output
    }

    private func text(_ line: [Span]) -> String {
        var text = ""
        var style = Style.plain
        for span in line {
            if span.style != style {
                text += "\u{1B}[\(codes(span.style))m"
                style = span.style
            }
            if let column = span.column { text += "\u{1B}[\(column + 1)G" }
            text += span.text
        }
        return text
    }

    private func codes(_ style: Style) -> String {
        var codes = ["0"]
        if style.isBold { codes.append("1") }
        if style.isDim { codes.append("2") }
        if style.isReversed { codes.append("7") }
        if hasColors, let color = style.color { codes.append("\(color.rawValue)") }
        return codes.joined(separator: ";")
    }
}
