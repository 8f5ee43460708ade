import ParleyModel
package import ParleyWire

/// How a guest of the line door comes by a name (PROTOCOL §5), as a value. What a named guest says goes to a `Session`.
package struct LineSession: Sendable {
    package enum Action: Hashable, Sendable {
        /// Ask for the name; answer with `claimed`. No line is to be handed in before that.
        case claim(name: String)
        /// The guest is `name` from now on.
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

    /// The name, once the guest has one.
    package var name: String? {
        if case .named(let name) = state { name } else { nil }
    }

    /// Whether lines are to be handed in.
    package var isReading: Bool {
        if case .claiming = state { false } else { true }
    }

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

    /// The answer to `claim`.
    package mutating func claimed(_ isTheirs: Bool) -> Action? {
        guard case .claiming(let name) = state else { return nil }
        state = isTheirs ? .named(name) : .anonymous
        return isTheirs ? .enter(name: name) : .reply(.nameTaken)
    }
}
