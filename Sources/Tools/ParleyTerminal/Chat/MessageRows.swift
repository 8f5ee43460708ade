/// The rows of a message on the screen.
struct MessageRows {
    /// A row and its message.
    struct Row: Hashable, Sendable {
        let message: String
        let spans: [Span]
    }

    let width: Int
    /// The messages that quotes refer to, by `seq`.
    let quoted: [Int: ShownMessage]
    /// The highest `seq` that other members have read.
    let readSeq: Int

    /// The columns before all lines of a message except the first.
    private static let indent = 6

    func rows(_ message: ShownMessage, after previous: ShownMessage?, isFirstUnread: Bool) -> [Row] {
        var lines: [[Span]] = []
        if previous.map({ !$0.time.isSameDay(as: message.time) }) ?? true {
            lines.append(divider(message.time.longDate, .dim))
        }
        if isFirstUnread { lines.append(divider("new", Style(.red, bold: true))) }
        if let seq = message.replyTo, !message.isDeleted { lines.append(quote(seq)) }
        lines += text(message)
        if !message.reactions.isEmpty, !message.isDeleted { lines += reactions(message.reactions) }
        if let failure = failure(message) { lines += failure }
        return lines.map { Row(message: message.id, spans: $0) }
    }

    private func divider(_ label: String, _ style: Style) -> [Span] {
        let label = TextLayout.cut(" \(label) ", to: max(1, width - 4))
        let rest = max(0, width - DisplayWidth.of(label))
        let left = String(repeating: "─", count: min(rest, max(2, rest / 2)))
        return [Span(left + label + String(repeating: "─", count: max(0, rest - left.count)), style)]
    }

    private var margin: String { String(repeating: " ", count: min(Self.indent, max(0, width / 4))) }

    private func quote(_ seq: Int) -> [Span] {
        var line = "┌ #\(seq)"
        if let message = quoted[seq] {
            line = "┌ \(SafeText.name(message.senderLabel)): \(SafeText.line(message.content))"
        }
        return [Span(margin), Span(TextLayout.cut(line, to: max(1, width - margin.count)), .dim)]
    }

    private func text(_ message: ShownMessage) -> [[Span]] {
        let name = TextLayout.cut(SafeText.name(message.senderLabel), to: max(4, width / 3))
        var first = [Span("\(message.time.clock) ", .dim), Span(name, Self.style(of: message)), Span("  ")]
        let used = first.reduce(0) { $0 + $1.width }
        let style: Style = message.isDeleted ? .dim : .plain
        let room = max(1, width - margin.count)
        // A long name has a line of its own.
        var lines: [[Span]] = []
        if width - used < 10 {
            lines.append(first)
            first = [Span(margin)]
        }
        let firstRoom = lines.isEmpty ? width - used : room
        let wrapped = TextLayout.wrap(SafeText.lines(message.content), width: room, first: firstRoom)
        for (index, line) in wrapped.enumerated() {
            lines.append((index == 0 ? first : [Span(margin)]) + [Span(line, style)])
        }
        for mark in marks(message) {
            let end = lines[lines.count - 1].reduce(0) { $0 + $1.width }
            if end + 1 + mark.width <= width {
                lines[lines.count - 1].append(Span(" " + mark.text, mark.style))
            } else {
                lines.append([Span(margin), mark])
            }
        }
        return lines
    }

    private static func style(of message: ShownMessage) -> Style {
        let colors: [Style.Color] = [.cyan, .magenta, .yellow, .blue, .green]
        if message.isOwn { return Style(.green, bold: true) }
        let sum = message.senderID.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        return Style(colors[sum % (colors.count - 1)], bold: true)
    }

    /// Returns the marks after the text.
    private func marks(_ message: ShownMessage) -> [Span] {
        var marks: [Span] = []
        if message.isEdited && !message.isDeleted { marks.append(Span("(edited)", .dim)) }
        switch message.change {
        case .edit, .deletion: marks.append(Span("…", .dim))
        case .failed, nil: break
        }
        guard message.isOwn, !message.isDeleted else { return marks }
        switch message.state {
        case .pending: marks.append(Span("…", Style(.yellow)))
        case .accepted: marks.append(Span("✓", .dim))
        case .stored:
            let isRead = message.seq.map { $0 <= readSeq } ?? false
            marks.append(Span(isRead ? "✓✓" : "✓", isRead ? Style(.green) : .dim))
        case .failed: break
        }
        return marks
    }

    private func reactions(_ reactions: [ShownReaction]) -> [[Span]] {
        var lines: [[Span]] = [[Span(margin)]]
        for reaction in reactions {
            let span = Span(
                "\(SafeText.line(reaction.emoji)) \(reaction.count)  ", reaction.isOwn ? .bold : .plain)
            if lines[lines.count - 1].reduce(0, { $0 + $1.width }) + span.width > width,
                lines[lines.count - 1].count > 1
            {
                lines.append([Span(margin)])
            }
            lines[lines.count - 1].append(Span(TextLayout.cut(span.text, to: max(1, width - margin.count)), span.style))
        }
        return lines
    }

    private func failure(_ message: ShownMessage) -> [[Span]]? {
        var text: String
        if case .failed(let reason, let retryable) = message.state {
            text = "not sent: \(SafeText.line(reason))"
            text += retryable ? "; ↑, then R tries again, x discards" : "; ↑, then x discards"
        } else if case .failed(let reason) = message.change {
            text = "not changed: \(SafeText.line(reason)); ↑, then x discards"
        } else {
            return nil
        }
        return TextLayout.wrap(text, width: max(1, width - margin.count)).map {
            [Span(margin), Span($0, Style(.red))]
        }
    }
}
