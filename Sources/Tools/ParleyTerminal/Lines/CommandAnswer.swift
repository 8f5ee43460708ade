package import ParleyJSON

/// The answer to a command that calls the server. Texts are unchanged from the server.
package struct CommandAnswer: Sendable {
    /// A value of the answer: its line on the screen and in plain text, and its fields in JSON lines.
    package struct Row: Sendable {
        package let text: String
        package let fields: [(String, JSONTree?)]

        package init(_ text: String, _ fields: [(String, JSONTree?)]) {
            self.text = text
            self.fields = fields
        }
    }

    /// A confirmation, or the heading of the rows.
    package let title: String
    package let rows: [Row]
    /// The ID of the conversation that the user has entered.
    package let entered: String?

    package init(_ title: String, rows: [Row] = [], entered: String? = nil) {
        self.title = title
        self.rows = rows
        self.entered = entered
    }

    /// The event for a screen, which opens what the user has entered, and otherwise shows the rows or the confirmation.
    package var event: ScreenEvent {
        if let entered { return .entered(thread: entered) }
        return rows.isEmpty ? .notice(title) : .list(title: title, rows.map(\.text))
    }
}
