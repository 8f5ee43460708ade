/// A command about the details of a room, or about blocks of users.
package enum RoomCommand: Hashable, Sendable {
    /// A right of a room.
    package enum Right: String, Hashable, Sendable, CaseIterable {
        case write, attach, mention, add
    }

    /// `/room`
    case details
    /// `/topic [TEXT]`; without a text there is none.
    case topic(String)
    /// `/description [TEXT]`; without a text there is none.
    case description(String)
    /// `/rules [TEXT]`; without a text there are none.
    case rules(String)
    /// `/slow TIME` or `/slow off`, in seconds; 0 for no slow mode.
    case slowMode(seconds: Int)
    /// `/right RIGHT everyone` or `/right RIGHT moderators`
    case right(Right, isForEveryone: Bool)
    /// `/archive` or `/unarchive`
    case archive(Bool)
    /// `/block NAME`
    case block(user: String)
    /// `/unblock NAME`
    case unblock(user: String)
    /// `/blocks`
    case blocks

    /// The longest pause of slow mode: six hours, in seconds.
    static let longestPause: Int64 = 21_600

    /// Whether the command concerns the open conversation.
    package var needsRoom: Bool {
        switch self {
        case .block, .unblock, .blocks: false
        default: true
        }
    }

    /// Reads a command.
    /// - Parameters:
    ///   - name: The name of the command, without its slash.
    ///   - rest: The text after the name.
    /// - Returns: `nil` for another command.
    package static func parse(_ name: String, _ rest: String) throws(LineCommand.Invalid) -> RoomCommand? {
        switch name {
        case "topic": return .topic(rest.trimmed)
        case "description": return .description(rest.trimmed)
        case "rules": return .rules(rest.trimmed)
        case "slow": return .slowMode(seconds: try pause(rest))
        case "right": return try right(rest)
        case "block": return .block(user: try LineCommand.onlyWord(name, rest, "NAME"))
        case "unblock": return .unblock(user: try LineCommand.onlyWord(name, rest, "NAME"))
        case "room", "archive", "unarchive", "blocks":
            try LineCommand.checkEmpty(name, rest)
            return name == "room" ? .details : name == "blocks" ? .blocks : .archive(name == "archive")
        default: return nil
        }
    }

    private static func pause(_ rest: String) throws(LineCommand.Invalid) -> Int {
        if rest == "off" { return 0 }
        guard let duration = try SanctionCommand.duration(rest),
            (1...longestPause).contains(duration.components.seconds)
        else { throw .init(description: "expected /slow TIME or /slow off, with a time of 1s to 6h, for example 30s") }
        return Int(duration.components.seconds)
    }

    private static func right(_ rest: String) throws(LineCommand.Invalid) -> RoomCommand {
        let (word, holder) = LineCommand.firstWord(rest[...])
        guard let right = Right(rawValue: word), ["everyone", "moderators"].contains(holder) else {
            throw .init(
                description:
                    "expected /right RIGHT everyone or /right RIGHT moderators; a right is write, attach, mention or add"
            )
        }
        return .right(right, isForEveryone: holder == "everyone")
    }
}
