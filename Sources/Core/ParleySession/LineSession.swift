package import ParleyWire

/// The login of a guest on the line listener (PROTOCOL §5), as a value. Messages of a named guest go to a
/// `ClassicSession`.
package struct LineSession: Sendable {
    /// An action that the owner performs.
    package enum Action: Hashable, Sendable {
        /// Claim the name; report `claimed`. No line may be passed in before that.
        case claim(name: String)
        /// The guest now has this name.
        case enter(name: String)
        case say(text: String)
        case reply(LineError)
    }

    private enum State: Hashable {
        case anonymous
        case claiming(name: String)
        case named(String)
    }

    private var state = State.anonymous

    package init() {}

    /// The guest's name, once claimed.
    package var name: String? {
        if case .named(let name) = state { name } else { nil }
    }

    /// Whether the session accepts lines now.
    package var isReading: Bool {
        if case .claiming = state { false } else { true }
    }

    /// Handles one line; must not be called while a `claim` is pending.
    package mutating func received(_ command: ClientCommand) -> Action {
        switch (command, state) {
        case (.introduce, .named(let name)):
            return .reply(.already(name))
        case (.introduce(let name), .anonymous):
            state = .claiming(name: name)
            return .claim(name: name)
        case (.say, .anonymous):
            return .reply(.introduceYourselfFirst)
        case (.say(let text), .named):
            return text.isEmpty || text.utf8.contains(0) ? .reply(.badText) : .say(text: text)
        default:
            return .reply(.unknownCommand)
        }
    }

    /// The result of `claim`.
    package mutating func claimed(_ isTheirs: Bool) -> Action? {
        guard case .claiming(let name) = state else { return nil }
        state = isTheirs ? .named(name) : .anonymous
        return isTheirs ? .enter(name: name) : .reply(.nameTaken)
    }
}
