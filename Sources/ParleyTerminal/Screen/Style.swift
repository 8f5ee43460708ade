/// How a piece of text looks.
package struct Style: Hashable, Sendable {
    /// The colours that every terminal has; how they look is the user's choice.
    package enum Color: Int, Hashable, Sendable {
        case red = 31
        case green = 32
        case yellow = 33
        case blue = 34
        case magenta = 35
        case cyan = 36
    }

    package var color: Color?
    package var isBold = false
    package var isDim = false
    package var isReversed = false

    package init(_ color: Color? = nil, bold: Bool = false, dim: Bool = false, reversed: Bool = false) {
        self.color = color
        isBold = bold
        isDim = dim
        isReversed = reversed
    }

    package static let plain = Style()
    package static let dim = Style(dim: true)
    package static let bold = Style(bold: true)
    package static let reversed = Style(reversed: true)
}

/// Text of one style. It must be safe to print.
package struct Span: Hashable, Sendable {
    package var text: String
    package var style: Style
    /// The column where it begins, if that must not depend on what is before it; from 0.
    package var column: Int?

    package init(_ text: String, _ style: Style = .plain, column: Int? = nil) {
        self.text = text
        self.style = style
        self.column = column
    }

    package var width: Int { DisplayWidth.of(text) }
}

/// What a screen shows: as many lines as it has rows, and the cursor.
package struct Frame: Hashable, Sendable {
    package var lines: [[Span]]
    /// Where the cursor is; hidden if `nil`.
    package var cursor: (row: Int, column: Int)?

    package init(lines: [[Span]], cursor: (row: Int, column: Int)? = nil) {
        self.lines = lines
        self.cursor = cursor
    }

    package static func == (one: Frame, other: Frame) -> Bool {
        one.lines == other.lines && one.cursor?.row == other.cursor?.row && one.cursor?.column == other.cursor?.column
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(lines) }

    /// The text of a line, as a reader sees it.
    package func text(_ row: Int) -> String {
        var line = ""
        for span in lines[row] {
            if let column = span.column {
                line += String(repeating: " ", count: max(0, column - DisplayWidth.of(line)))
            }
            line += span.text
        }
        return line
    }
}
