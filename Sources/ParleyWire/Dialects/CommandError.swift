import ParleyJSON

/// Why a frame or a line is not a valid command.
package enum CommandError: Error, Hashable, Sendable {
    /// Not JSON, or not a command; with a detail for the client.
    case malformed(String)
    /// A command unknown to the dialect; the first 40 characters of its name, if it has one.
    case unknownCommand(String)
    /// The command lacks this required field.
    case missing(String)
    /// Not a valid thread id.
    case badThread
    /// Not a valid guest name.
    case badName
    /// The text is not UTF-8 or has an unpaired surrogate.
    case badText

    init(_ violation: JSONError) {
        switch violation {
        case .notUTF8, .loneSurrogate: self = .badText
        default: self = .malformed(violation.explanation)
        }
    }

    /// An unknown command, with its name truncated to keep the error short.
    static func unknown(_ name: some StringProtocol) -> CommandError {
        .unknownCommand(String(String.UnicodeScalarView(name.unicodeScalars.prefix(40))))
    }

    /// The error and the rule, for the client.
    package var explanation: String {
        switch self {
        case .malformed(let reason): reason
        case .unknownCommand(let name): "unknown command \"\(name)\""
        case .missing(let field): "\"\(field)\" is missing"
        case .badThread: "this can be no thread id; allowed are 1 to 90 characters of A-Z a-z 0-9 . _ -"
        case .badName: "this can be no name; allowed are 1 to 30 characters, no colon, no control character"
        case .badText: "the text is not UTF-8"
        }
    }
}
