/// The division of a screen into rows and columns.
struct ScreenLayout: Hashable, Sendable {
    /// The columns of the list of conversations; 0 if it is hidden.
    let inboxWidth: Int
    /// The columns of the messages, which follow the list and a line.
    let messagesWidth: Int
    /// Whether messages are shown. A narrow screen shows either the messages or the list.
    let showsMessages: Bool
    /// The rows between the header and the composer.
    let messagesHeight: Int
    /// The rows of the composer or prompt.
    let composerHeight: Int
    /// Whether a row above the composer describes the effect of Enter.
    let hasContext: Bool

    static let minimumColumns = 20
    static let minimumRows = 6

    var messagesColumn: Int { inboxWidth == 0 || !showsMessages ? 0 : inboxWidth + 1 }
}

extension ChatScreen {
    var layout: ScreenLayout {
        let isNarrow = columns < 60
        let showsMessages = !isNarrow || focus != .inbox
        let inboxWidth = isNarrow ? (showsMessages ? 0 : columns) : min(32, columns / 4)
        let composerHeight = min(max(1, (rows - 4) / 3), composerRows)
        let hasContext = contextLine != nil
        return ScreenLayout(
            inboxWidth: inboxWidth,
            messagesWidth: max(1, isNarrow ? columns : columns - inboxWidth - 1),
            showsMessages: showsMessages,
            messagesHeight: max(1, rows - 2 - composerHeight - (hasContext ? 1 : 0)),
            composerHeight: composerHeight, hasContext: hasContext)
    }

    /// The columns for the text of the composer, after its mark.
    var composerWidth: Int { max(2, columns - composerMark.width) }

    var composerMark: Span {
        if let prompt { return Span(TextLayout.cut(prompt.question, to: max(1, columns - 8)), .bold) }
        return Span("> ", focus == .composer ? Style(.green, bold: true) : .dim)
    }

    private var composerRows: Int {
        prompt == nil ? editor.layout(width: composerWidth).rows.count : 1
    }

    /// The line above the composer.
    var contextLine: String? {
        guard prompt == nil else { return nil }
        switch purpose {
        case .new: return nil
        case .reply(let message):
            return "Reply to \(SafeText.name(message.senderLabel)): \(SafeText.line(message.content))"
        case .edit: return "Edit (Esc cancels)"
        }
    }
}
