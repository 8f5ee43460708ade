/// The appearance of a piece of text.
package struct Style: Hashable, Sendable {
    /// The colors that every terminal supports. The user chooses their appearance.
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

/// Text in one style. It must be safe to print.
package struct Span: Hashable, Sendable {
    package var text: String
    package var style: Style
    /// The column of the text, from 0, if it must not depend on the preceding text.
    package var column: Int?

    package init(_ text: String, _ style: Style = .plain, column: Int? = nil) {
        self.text = text
        self.style = style
        self.column = column
    }

    package var width: Int { DisplayWidth.of(text) }
}

/// The content of a screen: one line per row, and the cursor.
package struct Frame: Hashable, Sendable {
    package var lines: [[Span]]
    /// The position of the cursor; `nil` hides it.
    package var cursor: (row: Int, column: Int)?

    package init(lines: [[Span]], cursor: (row: Int, column: Int)? = nil) {
        self.lines = lines
        self.cursor = cursor
    }

    package static func == (one: Frame, other: Frame) -> Bool {
        one.lines == other.lines && one.cursor?.row == other.cursor?.row && one.cursor?.column == other.cursor?.column
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(lines) }

    /// Returns the visible text of a line.
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
