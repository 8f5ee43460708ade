/// A command of moderators: `/mute NAME [TIME] [REASON]`, `/unmute NAME`, `/ban NAME [TIME] [REASON]`, `/unban NAME`.
package enum SanctionCommand: Hashable, Sendable {
    /// Without a duration, the mute lasts until a moderator ends it.
    case mute(user: String, duration: Duration?, reason: String?)
    case unmute(user: String)
    /// Without a duration, the ban lasts until a moderator ends it.
    case ban(user: String, duration: Duration?, reason: String?)
    case unban(user: String)

    /// The longest time until a mute or a ban ends: ten years, in seconds.
    static let longestSeconds: Int64 = 315_360_000
    /// The units of a time, in seconds.
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]

    /// Reads a command.
    /// - Parameters:
    ///   - name: The name of the command, without its slash.
    ///   - rest: The text after the name.
    /// - Returns: `nil` for another command.
    package static func parse(_ name: String, _ rest: String) throws(LineCommand.Invalid) -> SanctionCommand? {
        let (user, more) = LineCommand.firstWord(rest[...])
        switch name {
        case "mute", "ban":
            guard !user.isEmpty else {
                throw LineCommand.Invalid(description: "expected /\(name) NAME [TIME] [REASON]")
            }
            let (word, reason) = LineCommand.firstWord(more[...])
            let duration = try duration(word)
            let text = (duration == nil ? more : reason).trimmed
            return name == "mute"
                ? .mute(user: user, duration: duration, reason: text.isEmpty ? nil : text)
                : .ban(user: user, duration: duration, reason: text.isEmpty ? nil : text)
        case "unmute", "unban":
            guard !user.isEmpty, more.isEmpty else {
                throw LineCommand.Invalid(description: "expected /\(name) NAME")
            }
            return name == "unmute" ? .unmute(user: user) : .unban(user: user)
        default: return nil
        }
    }

    /// Reads a time such as `90s`, `10m`, `12h`, `7d` or `2w`.
    /// - Returns: `nil` for any other word, with which the reason begins.
    static func duration(_ word: String) throws(LineCommand.Invalid) -> Duration? {
        let digits = word.dropLast()
        guard let last = word.last, let unit = units[last], !digits.isEmpty,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        guard let count = Int64(digits), (1...longestSeconds / unit).contains(count) else {
            throw LineCommand.Invalid(description: "a time is 1s to 3650d, for example 90s, 10m, 12h, 7d or 2w")
        }
        return .seconds(count * unit)
    }
}
