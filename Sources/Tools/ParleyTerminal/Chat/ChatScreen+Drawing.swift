/// Drawing of a screen.
extension ChatScreen {
    package var frame: Frame {
        guard columns >= ScreenLayout.minimumColumns, rows >= ScreenLayout.minimumRows else {
            var lines: [[Span]] = Array(repeating: [], count: rows)
            lines[0] = [Span(TextLayout.cut("too small", to: columns))]
            return Frame(lines: lines)
        }
        let layout = layout
        var lines = [header]
        lines += body(layout)
        if layout.hasContext { lines.append([Span(TextLayout.cut(contextLine ?? "", to: columns), Style(.cyan))]) }
        let composer = composer(layout)
        let composerRow = lines.count
        lines += composer.lines
        lines.append(statusLine)
        let cursor = composer.cursor.map { (row: composerRow + $0.row, column: $0.column) }
        return Frame(lines: lines, cursor: cursor)
    }

    // MARK: Header and status

    private var header: [Span] {
        var right = connectionLabel
        if unsent > 0 { right = "\(unsent) unsent · " + right }
        let limit = max(4, columns - DisplayWidth.of(right) - 3)
        var left = SafeText.name(user)
        if let thread = openThread {
            left += " · " + SafeText.name(thread.title)
            left += (thread.mute.map { " · " + $0.label } ?? "")
            left += (thread.hindrance.map { " · " + $0.label } ?? "")
            left += (thread.slowUntil.map { " · slow mode, next message at " + $0.precise } ?? "") + about(thread)
            left += (thread.topic.map { " · " + SafeText.line($0) } ?? "")
        } else {
            left += " · " + SafeText.line(server)
        }
        left = " " + TextLayout.cut(left, to: limit)
        let gap = max(1, columns - DisplayWidth.of(left) - DisplayWidth.of(right) - 1)
        return [
            Span(left + String(repeating: " ", count: gap) + TextLayout.cut(right, to: columns / 2) + " ", .reversed)
        ]
    }

    private func about(_ thread: ShownThread) -> String {
        if !thread.typing.isEmpty {
            let names = thread.typing.prefix(3).map { SafeText.name($0) }.joined(separator: ", ")
            return thread.typing.count == 1 ? " · \(names) is typing…" : " · \(names) are typing…"
        }
        if thread.isOnline == true { return " · online" }
        return thread.lastSeen.map { " · last seen \($0.date) \($0.clock)" } ?? ""
    }

    private var connectionLabel: String {
        switch connection {
        case .connected: "connected"
        case .connecting: "connecting…"
        case .offline(let retry): retry.map { "offline, next try \($0.precise)" } ?? "offline"
        }
    }

    private var statusLine: [Span] {
        if let notice { return [Span(TextLayout.cut(SafeText.line(notice), to: columns), Style(.yellow))] }
        let hint =
            switch focus {
            case .composer where timeline.hasNewer || !timeline.isAtEnd: "Esc newest  PgUp PgDn scroll  F1 keys"
            case .composer: "F1 keys  Tab conversations  ↑ messages  Ctrl-F search  Ctrl-Q quit"
            case .messages: "r reply  e edit  d delete  + react  Esc back"
            case .inbox: "Enter open  n room  u user  l leave  Esc back"
            case .prompt:
                prompt?.hasSuggestions == true ? "Enter open  ↑ ↓ choose  Tab complete  Esc cancel" : "Esc cancel"
            case .results: "Enter open  ↑ ↓ choose  Esc back"
            case .page: "↑ ↓ scroll  Esc back"
            }
        return [Span(TextLayout.cut(hint, to: columns), .dim)]
    }

    // MARK: Body

    private func body(_ layout: ScreenLayout) -> [[Span]] {
        let height = layout.messagesHeight
        if !layout.showsMessages { return inbox(width: columns, height: height) }
        if let page, focus == .page { return padded(self.page(page), to: height) }
        let messages = content(layout)
        guard layout.inboxWidth > 0 else { return messages }
        let inbox = inbox(width: layout.inboxWidth, height: height)
        return zip(inbox, messages).map { left, right in
            var right = right
            if !right.isEmpty { right[0].column = layout.messagesColumn }
            return left + [Span("│", .dim, column: layout.inboxWidth)] + right
        }
    }

    private func padded(_ lines: [[Span]], to height: Int) -> [[Span]] {
        lines.prefix(height) + Array(repeating: [], count: max(0, height - lines.count))
    }

    private func content(_ layout: ScreenLayout) -> [[Span]] {
        let (width, height) = (layout.messagesWidth, layout.messagesHeight)
        if let results, focus == .results { return padded(list(results, width, height), to: height) }
        if let prompt, prompt.hasSuggestions { return padded(suggestions(prompt, width, height), to: height) }
        guard open != nil else {
            return padded(
                [[], [Span("No conversation is open.")], [Span("Ctrl-O opens a room, Ctrl-T writes to a user.")]].map {
                    $0.map { Span(TextLayout.cut($0.text, to: width), $0.style) }
                }, to: height)
        }
        let lines = timeline.rows[timeline.visible(height: height)].map { row in
            guard row.message == timeline.selection else { return row.spans }
            return row.spans.map { Span($0.text, Style($0.style.color, bold: $0.style.isBold, reversed: true)) }
        }
        // The newest message is above the composer.
        return Array(repeating: [], count: max(0, height - lines.count)) + lines
    }

    private func page(_ page: Page) -> [[Span]] {
        let lines = page.lines.dropFirst(page.first).map { [Span(TextLayout.cut(SafeText.line($0), to: columns))] }
        return [[Span(TextLayout.cut(SafeText.line(page.title), to: columns), .bold)]] + lines
    }

    private func list(_ results: Results, _ width: Int, _ height: Int) -> [[Span]] {
        let count = results.messages.count
        let title = "\(count)\(results.hasMore ? "+" : "") found: \(SafeText.line(results.words))"
        var lines = [[Span(TextLayout.cut(title, to: width), .bold)]]
        let first = max(0, results.selected - max(1, height - 2))
        for (index, message) in results.messages.enumerated().dropFirst(first) {
            let place = threads.first { $0.id == message.thread }.map { SafeText.name($0.title) + " · " } ?? ""
            let text =
                "\(message.time.date) \(message.time.clock) \(place)\(SafeText.name(message.senderLabel)): "
                + SafeText.line(message.content)
            lines.append([Span(TextLayout.cut(text, to: width), index == results.selected ? .reversed : .plain)])
        }
        return lines
    }

    private func suggestions(_ prompt: Prompt, _ width: Int, _ height: Int) -> [[Span]] {
        let title = prompt.kind == .room ? "Rooms you can join; any other title creates one" : "Users"
        var lines = [[Span(TextLayout.cut(title, to: width), .bold)]]
        let first = max(0, (prompt.selected ?? 0) - max(1, height - 2))
        for (index, suggestion) in prompt.suggestions.enumerated().dropFirst(first) {
            let text = TextLayout.cut("  " + SafeText.line(suggestion), to: width)
            lines.append([Span(text, index == prompt.selected ? .reversed : .plain)])
        }
        return lines
    }

    // MARK: Conversations

    private func inbox(width: Int, height: Int) -> [[Span]] {
        let selected = focus == .inbox ? inboxSelection : open
        let index = threads.firstIndex { $0.id == selected } ?? 0
        let first = max(0, index - height + 1)
        let lines = threads.dropFirst(first).prefix(height).map { thread in
            inboxLine(thread, width, isSelected: thread.id == selected)
        }
        return padded(Array(lines), to: height)
    }

    private func inboxLine(_ thread: ShownThread, _ width: Int, isSelected: Bool) -> [Span] {
        let badge = thread.unread > 0 ? " \(min(thread.unread, 999)) " : ""
        let mark = thread.isOnline == true ? "● " : thread.isDirect ? "@ " : "# "
        let limit = max(1, width - badge.count - 2)
        let typing = thread.typing.isEmpty ? "" : "…"
        let title = TextLayout.cut(SafeText.name(thread.title), to: max(1, limit - typing.count)) + typing
        let gap = String(repeating: " ", count: max(0, limit - DisplayWidth.of(title)))
        var style = Style(bold: thread.unread > 0)
        style.isReversed = isSelected && focus == .inbox
        if isSelected { style.isBold = true }
        var markStyle = thread.isOnline == true ? Style(.green) : .dim
        markStyle.isReversed = style.isReversed
        return [
            Span(mark, markStyle), Span(title + gap, style),
            Span(badge, Style(.yellow, bold: true, reversed: style.isReversed), column: width - badge.count),
        ]
    }

    // MARK: Composer

    private func composer(_ layout: ScreenLayout) -> (lines: [[Span]], cursor: (row: Int, column: Int)?) {
        let mark = composerMark
        let editor = prompt == nil ? self.editor : promptEditor
        let text = editor.layout(width: composerWidth)
        // The rows around the cursor are visible.
        let first = max(0, min(text.row - layout.composerHeight + 1, text.rows.count - layout.composerHeight))
        let visible = text.rows[max(first, 0)..<min(text.rows.count, max(first, 0) + layout.composerHeight)]
        let margin = String(repeating: " ", count: mark.width)
        var lines = visible.enumerated().map { index, row in
            [index == 0 && first == 0 ? mark : Span(margin), Span(row)]
        }
        while lines.count < layout.composerHeight { lines.append([]) }
        let hasCursor = focus == .composer || focus == .prompt
        return (lines, hasCursor ? (row: text.row - max(first, 0), column: mark.width + text.column) : nil)
    }
}
