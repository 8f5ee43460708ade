/// A command about the ways into rooms: groups, links, invitations, requests, and another owner.
package enum EntranceCommand: Hashable, Sendable {
    /// `/group NAME,NAME… [TITLE]`
    case createGroup(users: [String], title: String?)
    /// `/owner NAME`
    case setOwner(user: String)
    /// `/link [TIME] [USES]`; without a time, the link lasts until it is revoked, and without uses any number may join.
    case createLink(duration: Duration?, uses: Int?)
    /// `/links`
    case links
    /// `/revoke-link ID`
    case revokeLink(id: String)
    /// `/join-link CODE`
    case joinLink(code: String)
    /// `/invite NAME [TIME] [TEXT]`; without a time, the invitation does not expire.
    case invite(user: String, duration: Duration?, text: String?)
    /// `/uninvite NAME`
    case withdrawInvitation(user: String)
    /// `/invitations`, those to the room
    case invitations
    /// `/my-invitations`
    case myInvitations
    /// `/accept ROOM`, by its title or ID
    case acceptInvitation(room: String)
    /// `/decline ROOM`, by its title or ID
    case declineInvitation(room: String)
    /// `/request ID [TEXT]`
    case request(thread: String, text: String?)
    /// `/withdraw ID`
    case withdrawRequest(thread: String)
    /// `/my-requests`
    case myRequests
    /// `/requests`, those to the moderators of the room
    case requests
    /// `/admit NAME`
    case acceptRequest(user: String)
    /// `/refuse NAME`
    case refuseRequest(user: String)

    /// Whether the command concerns the open conversation.
    package var needsRoom: Bool {
        switch self {
        case .createGroup, .joinLink, .myInvitations, .acceptInvitation, .declineInvitation, .request, .withdrawRequest,
            .myRequests:
            false
        default: true
        }
    }

    /// Reads a command.
    /// - Parameters:
    ///   - name: The name of the command, without its slash.
    ///   - rest: The text after the name.
    /// - Returns: `nil` for another command.
    package static func parse(_ name: String, _ rest: String) throws(LineCommand.Invalid) -> EntranceCommand? {
        let (word, more) = LineCommand.firstWord(rest[...])
        switch name {
        case "group":
            let users = word.split(separator: ",").map(String.init)
            guard !users.isEmpty else { throw .init(description: "expected /group NAME,NAME… [TITLE]") }
            return .createGroup(users: users, title: more.trimmedOrNil)
        case "link": return try link(rest)
        case "links":
            try LineCommand.checkEmpty(name, rest)
            return .links
        case "owner": return .setOwner(user: try LineCommand.onlyWord(name, rest, "NAME"))
        case "revoke-link": return .revokeLink(id: try LineCommand.onlyWord(name, rest, "ID"))
        case "join-link":
            let code = try LineCommand.onlyWord(name, rest, "CODE")
            // An address that ends with the code will do.
            return .joinLink(code: code.split(separator: "/").last.map(String.init) ?? code)
        default:
            if let command = try invitation(name, rest) { return command }
            return try request(name, rest)
        }
    }

    private static func invitation(_ name: String, _ rest: String) throws(LineCommand.Invalid) -> EntranceCommand? {
        switch name {
        case "invite":
            let (user, more) = LineCommand.firstWord(rest[...])
            guard !user.isEmpty else { throw .init(description: "expected /invite NAME [TIME] [TEXT]") }
            let (word, text) = LineCommand.firstWord(more[...])
            let duration = try SanctionCommand.duration(word)
            return .invite(user: user, duration: duration, text: (duration == nil ? more : text).trimmedOrNil)
        case "uninvite": return .withdrawInvitation(user: try LineCommand.onlyWord(name, rest, "NAME"))
        case "accept", "decline":
            guard let room = rest.trimmedOrNil else {
                throw .init(description: "expected /\(name) ROOM, by its title or ID")
            }
            return name == "accept" ? .acceptInvitation(room: room) : .declineInvitation(room: room)
        case "invitations", "my-invitations":
            try LineCommand.checkEmpty(name, rest)
            return name == "invitations" ? .invitations : .myInvitations
        default: return nil
        }
    }

    private static func request(_ name: String, _ rest: String) throws(LineCommand.Invalid) -> EntranceCommand? {
        switch name {
        case "request":
            let (thread, text) = LineCommand.firstWord(rest[...])
            guard !thread.isEmpty else { throw .init(description: "expected /request ID [TEXT]") }
            return .request(thread: thread, text: text.trimmedOrNil)
        case "withdraw": return .withdrawRequest(thread: try LineCommand.onlyWord(name, rest, "ID"))
        case "admit": return .acceptRequest(user: try LineCommand.onlyWord(name, rest, "NAME"))
        case "refuse": return .refuseRequest(user: try LineCommand.onlyWord(name, rest, "NAME"))
        case "requests", "my-requests":
            try LineCommand.checkEmpty(name, rest)
            return name == "requests" ? .requests : .myRequests
        default: return nil
        }
    }

    private static func link(_ rest: String) throws(LineCommand.Invalid) -> EntranceCommand {
        let (word, more) = LineCommand.firstWord(rest[...])
        let duration = try SanctionCommand.duration(word)
        let number = duration == nil ? rest : more
        guard !number.isEmpty else { return .createLink(duration: duration, uses: nil) }
        guard let uses = Int(number), (1...10_000).contains(uses) else {
            throw .init(
                description: "expected /link [TIME] [USES], with a time such as 10m, 12h or 7d, and 1 to 10000 uses")
        }
        return .createLink(duration: duration, uses: uses)
    }
}

extension LineCommand {
    /// - Throws: ``Invalid`` if a command without arguments has one.
    static func checkEmpty(_ name: String, _ rest: String) throws(Invalid) {
        guard rest.trimmed.isEmpty else { throw Invalid(description: "/\(name) takes no arguments") }
    }

    /// Returns the only argument of a command.
    /// - Parameter what: The name of the argument.
    static func onlyWord(_ name: String, _ rest: String, _ what: String) throws(Invalid) -> String {
        let (word, more) = firstWord(rest[...])
        guard !word.isEmpty, more.isEmpty else { throw Invalid(description: "expected /\(name) \(what)") }
        return word
    }
}

extension String {
    /// The text without spaces at both ends; `nil` if it is empty then.
    var trimmedOrNil: String? {
        let text = trimmed
        return text.isEmpty ? nil : text
    }
}
