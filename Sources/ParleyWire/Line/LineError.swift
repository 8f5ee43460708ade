/// What can be said to a client of the line door; the connection lives on.
package enum LineError: Error, Hashable, Sendable {
    case introduceYourselfFirst
    case nameTaken
    /// It introduced itself before, by this name.
    case already(String)
    case lineTooLong
    case badName
    case badText
    case unknownCommand

    /// The error that answers a line which is no command.
    package init(_ violation: CommandError) {
        switch violation {
        case .badName: self = .badName
        case .badText: self = .badText
        case .malformed, .unknownCommand, .missing, .badThread: self = .unknownCommand
        }
    }

    /// What stands behind `error:`.
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
