/// The messages of the open thread as rows, with the visible range and the selected message.
struct Timeline: Sendable {
    private(set) var messages: [ShownMessage] = []
    private(set) var hasOlder = false
    private(set) var hasNewer = false
    private(set) var rows: [MessageRows.Row] = []
    private(set) var selection: String?
    private var width = 1
    private var readSeq = 0
    /// The first message after this `seq` is marked as new.
    private var dividerSeq: Int?
    /// The last visible row, as a message and the number of its rows after it; `nil` if the view follows the end.
    private var anchor: (message: String, rowsAfter: Int)?

    var isAtEnd: Bool { anchor == nil && !hasNewer }
    var selected: ShownMessage? { selection.flatMap { id in messages.first { $0.id == id } } }
    var newestSeq: Int? { messages.last { $0.seq != nil }?.seq }

    /// Begins another thread.
    /// - Parameter dividerSeq: The `seq` of the last read message; `nil` if no message is new.
    mutating func reset(dividerSeq: Int?) {
        self = Timeline(width: width, dividerSeq: dividerSeq)
    }

    init(width: Int = 1, dividerSeq: Int? = nil) {
        self.width = width
        self.dividerSeq = dividerSeq
    }

    mutating func update(_ messages: [ShownMessage], hasOlder: Bool, hasNewer: Bool) {
        // More rows may follow the end of a window in the middle of the log. The visible part does not move.
        if self.hasNewer, anchor == nil, let last = self.messages.last { anchor = (last.id, 0) }
        (self.messages, self.hasOlder, self.hasNewer) = (messages, hasOlder, hasNewer)
        let ids = Set(messages.map(\.id))
        if let selection, !ids.contains(selection) { self.selection = nil }
        if let anchor, !ids.contains(anchor.message) { self.anchor = nil }
        layOut()
    }

    mutating func update(width: Int, readSeq: Int) {
        guard width != self.width || readSeq != self.readSeq else { return }
        (self.width, self.readSeq) = (width, readSeq)
        layOut()
    }

    private mutating func layOut() {
        var quoted: [Int: ShownMessage] = [:]
        for message in messages { if let seq = message.seq { quoted[seq] = message } }
        let layout = MessageRows(width: width, quoted: quoted, readSeq: readSeq)
        rows = []
        var previous: ShownMessage?
        var isDividerOpen = dividerSeq != nil
        for message in messages {
            let isNew = isDividerOpen && !message.isOwn && (message.seq ?? 0) > dividerSeq ?? 0
            if isNew { isDividerOpen = false }
            rows += layout.rows(message, after: previous, isFirstUnread: isNew)
            previous = message
        }
    }

    // MARK: Visible rows

    /// The visible rows, as a range of `rows`.
    func visible(height: Int) -> Range<Int> {
        let end = end(height: height)
        return max(0, end - height)..<end
    }

    private func end(height: Int) -> Int {
        guard let anchor, let last = rows.lastIndex(where: { $0.message == anchor.message }) else { return rows.count }
        return min(rows.count, max(last + 1 - anchor.rowsAfter, min(height, rows.count)))
    }

    private mutating func moveEnd(to end: Int, height: Int) {
        let end = min(rows.count, max(end, min(height, rows.count)))
        guard end > 0, end < rows.count || hasNewer else { return anchor = nil }
        let message = rows[end - 1].message
        let last = rows.lastIndex { $0.message == message } ?? end - 1
        anchor = (message, last - (end - 1))
    }

    enum Reached: Hashable, Sendable {
        case top
        case bottom
    }

    /// Scrolls the view. Positive numbers scroll to newer messages.
    /// - Returns: The end of the loaded messages that became visible, if any.
    mutating func scroll(by count: Int, height: Int) -> Reached? {
        moveEnd(to: end(height: height) + count, height: height)
        let visible = visible(height: height)
        return count < 0 ? visible.lowerBound == 0 ? .top : nil : visible.upperBound == rows.count ? .bottom : nil
    }

    mutating func scrollToEnd() {
        anchor = nil
        selection = nil
    }

    // MARK: Selection

    mutating func deselect() { selection = nil }

    /// Selects a message and makes it visible.
    /// - Parameter isCentred: Whether to scroll the message to the middle if it was not visible.
    mutating func select(_ id: String, height: Int, isCentred: Bool = false) {
        guard let first = rows.firstIndex(where: { $0.message == id }),
            let last = rows.lastIndex(where: { $0.message == id })
        else { return }
        selection = id
        let visible = visible(height: height)
        if isCentred, first < visible.lowerBound || last >= visible.upperBound {
            moveEnd(to: min(first + height, max(last + 1, first + (height + 1) / 2)), height: height)
        } else if first < visible.lowerBound {
            moveEnd(to: first + height, height: height)
        } else if last >= visible.upperBound {
            moveEnd(to: last + 1, height: height)
        }
    }

    /// Selects the message before or after the selected one, or the last visible one if none is selected.
    /// - Returns: The end of the loaded messages, if there is no such message.
    mutating func moveSelection(by step: Int, height: Int) -> Reached? {
        guard let selection, let index = messages.firstIndex(where: { $0.id == selection }) else {
            if let last = rows[visible(height: height)].last { select(last.message, height: height) }
            return nil
        }
        let next = index + step
        guard messages.indices.contains(next) else { return step < 0 ? .top : .bottom }
        select(messages[next].id, height: height)
        return nil
    }
}
