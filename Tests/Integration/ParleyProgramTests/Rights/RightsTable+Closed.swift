import ParleyTestSupport

/// The calls and commands about a room that is not public. Each is a row about a public room, with other answers for some
/// actors.
extension RightsTable {
    static let closedRest = closed(rest)
    static let closedCommands = closed(commands)

    private static func closed(_ rows: [RightsRow]) -> [RightsRow] {
        rows.filter(\.isAboutRoom).flatMap { [$0.inPrivateRoom, $0.inUnlistedRoom] }
    }
}

extension RightsRow {
    private static let outsiders: [RightsActor] = [.nonMember, .invited, .removed, .banned, .operator]

    /// Whether the call is about the room as its members use it. Calls of operators are the same for every visibility.
    fileprivate var isAboutRoom: Bool {
        switch call {
        case .rest(_, let path, let body):
            !path.hasPrefix("/v1/admin")
                && (path.contains("{thread}") || path.contains("{code}") || path.contains("{attachment}")
                    || body?.text.contains("{room}") == true)
        case .command(let json): json.text.contains("{thread}") || json.text.contains("{room}")
        case .form(_, let fields): fields.values.contains("{room}")
        }
    }

    /// Whether the call names the room by its title. Users who are not members then get a room of their own.
    private var isByTitle: Bool { name.hasSuffix("the thread's title") }

    /// Whether the call has the code of a link, which leads into a room of any visibility.
    private var isByCode: Bool { name.contains("{code}") }

    /// The row about a private room, which does not exist for users who are not members.
    fileprivate var inPrivateRoom: RightsRow {
        with(visibility: "private") { reply in
            if isByTitle { return .yes }
            if isByCode || name.contains("/v1/me/invitations") { return reply }
            return reply == .denied ? .gone : .notFound
        }
    }

    /// The row about an unlisted room, which differs from a public one in its title only.
    fileprivate var inUnlistedRoom: RightsRow {
        with(visibility: "unlisted") { isByTitle ? .yes : $0 }
    }

    private func with(visibility: String, _ change: (RightsReply) -> RightsReply) -> RightsRow {
        var row = self
        row.name += ", \(visibility) room"
        row.visibility = visibility
        for actor in Self.outsiders { row.responses[actor] = responses[actor].map(change) }
        return row
    }
}
