/// The text that the user is writing, with a cursor between two characters, and the history of sent texts.
package struct LineEditor: Sendable {
    /// The server's default for a message, in Unicode scalars.
    package static let defaultLimit = 4096
    static let maximumHistory = 100

    /// The maximum number of Unicode scalars. Further ones are ignored.
    package var limit = Self.defaultLimit
    package private(set) var before = ""
    package private(set) var after = ""
    private var killed = ""
    private var history: [String] = []
    /// The visible entry of the history, and the text before browsing; `nil` outside the history.
    private var browsing: (index: Int, draft: String)?

    package init(_ text: String = "") { before = text }

    package var text: String { before + after }
    package var isEmpty: Bool { before.isEmpty && after.isEmpty }

    /// Replaces the text and moves the cursor to its end.
    package mutating func set(_ text: String) {
        before = text
        after = ""
        browsing = nil
    }

    /// Adds the text to the history and clears the editor.
    package mutating func submit() -> String {
        let text = text
        if !text.isEmpty, history.last != text { history.append(text) }
        if history.count > Self.maximumHistory { history.removeFirst() }
        set("")
        return text
    }

    // MARK: Keys

    /// - Returns: Whether the editor handles the key.
    package mutating func handle(_ key: Key) -> Bool {
        switch key {
        case .text(let text): insert(text)
        case .paste(let text): insert(SafeText.lines(text))
        case .newline: insert("\n")
        case .backspace: _ = before.popLast()
        case .delete, .control("d"): if !after.isEmpty { after.removeFirst() }
        case .left, .control("b"): if let last = before.popLast() { after = String(last) + after }
        case .right: if !after.isEmpty { before.append(after.removeFirst()) }
        case .wordLeft: moveBack(while: Self.isSpace, then: { !Self.isSpace($0) })
        case .wordRight: moveOn()
        case .home, .control("a"): moveBack(while: { $0 != "\n" }, then: { _ in false })
        case .end, .control("e"):
            while let next = after.first, next != "\n" { before.append(after.removeFirst()) }
        case .control("k"):
            let end = after.firstIndex(of: "\n") ?? after.endIndex
            killed = String(after[..<end])
            after = String(after[end...])
        case .control("u"):
            killed = before
            before = ""
        case .control("w"):
            let old = self
            moveBack(while: Self.isSpace, then: { !Self.isSpace($0) })
            killed = String(old.before.dropFirst(before.count))
            after = old.after
        case .alt("d"):
            let old = self
            moveOn()
            killed = String(before.dropFirst(old.before.count))
            before = old.before
        case .control("y"): insert(killed)
        default: return false
        }
        return true
    }

    private mutating func insert(_ text: String) {
        let room = max(0, limit - before.unicodeScalars.count - after.unicodeScalars.count)
        before.unicodeScalars.append(contentsOf: text.unicodeScalars.prefix(room))
    }

    private static func isSpace(_ character: Character) -> Bool { character.isWhitespace }

    private mutating func moveBack(while first: (Character) -> Bool, then second: (Character) -> Bool) {
        while let last = before.last, first(last) { after = String(before.removeLast()) + after }
        while let last = before.last, second(last) { after = String(before.removeLast()) + after }
    }

    private mutating func moveOn() {
        while let next = after.first, Self.isSpace(next) { before.append(after.removeFirst()) }
        while let next = after.first, !Self.isSpace(next) { before.append(after.removeFirst()) }
    }

    // MARK: History

    package mutating func showPrevious() {
        let index = (browsing?.index ?? history.count) - 1
        guard history.indices.contains(index) else { return }
        let draft = browsing?.draft ?? text
        set(history[index])
        browsing = (index, draft)
    }

    package mutating func showNext() {
        guard let (index, draft) = browsing else { return }
        let isLast = index + 1 >= history.count
        set(isLast ? draft : history[index + 1])
        if !isLast { browsing = (index + 1, draft) }
    }

    // MARK: Layout

    /// Returns the text in rows of `width` columns, broken anywhere, and the position of the cursor.
    package func layout(width: Int) -> (rows: [String], row: Int, column: Int) {
        let width = max(2, width)
        var (rows, used) = ([""], 0)
        func add(_ character: Character) {
            let columns = DisplayWidth.of(character)
            if character == "\n" || used + columns > width {
                rows.append("")
                used = 0
            }
            if character == "\n" { return }
            rows[rows.count - 1].append(character)
            used += columns
        }
        for character in before { add(character) }
        // The cursor after a full row is at the position of the next character.
        if used >= width {
            rows.append("")
            used = 0
        }
        let (row, column) = (rows.count - 1, used)
        for character in after { add(character) }
        return (rows, row, column)
    }
}
