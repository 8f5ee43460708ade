/// A line of standard input: a text to send, or a command that begins with a slash.
package enum LineCommand: Hashable, Sendable {
    case text(String)
    case edit(MessageTarget, text: String)
    case delete(MessageTarget)
    case react(MessageTarget, emoji: String, isOn: Bool)
    case reply(MessageTarget, text: String)
    case retry(MessageTarget)
    case discard(MessageTarget)
    case read
    case older
    case search(String)
    case sanction(SanctionCommand)
    case entrance(EntranceCommand)
    case room(RoomCommand)
    case quit

    /// The reason that a line is not a command.
    package struct Invalid: Error, Hashable, CustomStringConvertible {
        package let description: String

        /// The error for a line over the program's limit.
        package static let tooLong = Invalid(description: "the line is too long")
    }

    /// - Returns: `nil` for an empty line.
    /// - Throws: ``Invalid`` for a line that begins with a single slash and is not a command.
    package static func parse(_ line: String) throws(Invalid) -> LineCommand? {
        guard !line.isEmpty else { return nil }
        guard line.hasPrefix("/") else { return .text(line) }
        if line.hasPrefix("//") { return .text(String(line.dropFirst())) }
        let (name, rest) = firstWord(line.dropFirst())
        switch name {
        case "edit":
            let (target, text) = try targetAndText(name, rest, "TEXT")
            return .edit(target, text: text)
        case "reply":
            let (target, text) = try targetAndText(name, rest, "TEXT")
            return .reply(target, text: text)
        case "react", "unreact":
            let (target, emoji) = try targetAndText(name, rest, "EMOJI")
            return .react(target, emoji: emoji, isOn: name == "react")
        case "delete": return .delete(try target(name, rest))
        case "retry": return .retry(try target(name, rest))
        case "discard": return .discard(try target(name, rest))
        case "search":
            guard !rest.isEmpty else { throw Invalid(description: "expected /search WORDS") }
            return .search(rest)
        case "read", "older", "quit":
            guard rest.isEmpty else { throw Invalid(description: "/\(name) takes no arguments") }
            return name == "read" ? .read : name == "older" ? .older : .quit
        default:
            if let command = try SanctionCommand.parse(name, rest) { return .sanction(command) }
            if let command = try EntranceCommand.parse(name, rest) { return .entrance(command) }
            if let command = try RoomCommand.parse(name, rest) { return .room(command) }
            throw Invalid(
                description: "no command is called /\(name); // at the start of a line sends a text that begins with /")
        }
    }

    private static func target(_ name: String, _ rest: String) throws(Invalid) -> MessageTarget {
        let (word, more) = firstWord(rest[...])
        guard let target = MessageTarget(word), more.isEmpty else {
            throw Invalid(description: "expected /\(name) SEQ")
        }
        return target
    }

    private static func targetAndText(
        _ name: String, _ rest: String, _ what: String
    ) throws(Invalid) -> (MessageTarget, String) {
        let (word, text) = firstWord(rest[...])
        guard let target = MessageTarget(word), !text.isEmpty else {
            throw Invalid(description: "expected /\(name) SEQ \(what)")
        }
        return (target, text)
    }

    /// Returns the text up to the first space, and the text after the spaces.
    static func firstWord(_ text: Substring) -> (word: String, rest: String) {
        let end = text.firstIndex(of: " ") ?? text.endIndex
        return (String(text[..<end]), String(text[end...].drop { $0 == " " }))
    }
}

/// The message that a command refers to.
package enum MessageTarget: Hashable, Sendable {
    case seq(Int)
    /// An ID from the JSON lines, which a message without a `seq` has too.
    case id(String)
    /// The newest message, or the user's own newest message for commands that change it.
    case last

    init?(_ word: String) {
        if word.isEmpty { return nil }
        if word == "last" {
            self = .last
        } else if word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            guard let seq = Int(word) else { return nil }
            self = .seq(seq)
        } else {
            self = .id(word)
        }
    }
}
