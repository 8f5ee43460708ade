import ParleyJSON

/// Why a frame or a line is no command.
package enum CommandError: Error, Hashable, Sendable {
    /// No JSON, or not the shape of a command; what exactly, for the client.
    case malformed(String)
    /// A command that the dialect does not have; the first 40 characters of its name, if it has one.
    case unknownCommand(String)
    /// The command lacks this field.
    case missing(String)
    /// No thread can have this id.
    case badThread
    /// No guest can have this name.
    case badName
    /// The text is not UTF-8 or holds half of a surrogate pair.
    case badText

    init(_ violation: JSONError) {
        switch violation {
        case .notUTF8, .loneSurrogate: self = .badText
        default: self = .malformed(violation.explanation)
        }
    }

    /// An unknown command, its name cut so that an error stays short.
    static func unknown(_ name: some StringProtocol) -> CommandError {
        .unknownCommand(String(String.UnicodeScalarView(name.unicodeScalars.prefix(40))))
    }

    /// What was wrong and what is allowed, for the client.
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
