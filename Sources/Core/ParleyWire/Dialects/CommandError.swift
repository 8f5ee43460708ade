import ParleyJSON

/// The reason that a frame or a line is not a valid command.
package enum CommandError: Error, Hashable, Sendable {
    /// Not JSON, or not a command; with the reason.
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
}
