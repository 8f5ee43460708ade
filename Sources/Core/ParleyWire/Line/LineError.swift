/// An error reported to a client of the line listener; the connection stays open.
package enum LineError: Error, Hashable, Sendable {
    case introduceYourselfFirst
    case nameTaken
    /// The client has introduced itself before, by this name.
    case already(String)
    case lineTooLong
    case badName
    case badText
    case unknownCommand

    /// The error for a line that is not a valid command.
    package init(_ violation: CommandError) {
        switch violation {
        case .badName: self = .badName
        case .badText: self = .badText
        case .malformed, .unknownCommand, .missing, .badThread: self = .unknownCommand
        }
    }

    /// The text after `error:`.
    package var text: String {
        switch self {
        case .introduceYourselfFirst: "say iam:NAME first"
        case .nameTaken: "name taken"
        case .already(let name): "already \(name)"
        case .lineTooLong: "line too long"
        case .badName: "bad name"
        case .badText: "bad text"
        case .unknownCommand: "unknown command"
        }
    }
}
