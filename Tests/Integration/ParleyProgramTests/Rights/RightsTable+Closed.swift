/// The calls and commands about a room that is not public. Each is a row about a public room, with what differs.
extension RightsTable {
    static let closedRest = closed(rest)
    static let closedCommands = closed(commands)

    private static func closed(_ rows: [RightsRow]) -> [RightsRow] {
        rows.filter(\.isAboutRoom).flatMap { [$0.inPrivateRoom, $0.inUnlistedRoom] }
    }
}

extension RightsRow {
    private static let outsiders: [RightsActor] = [.nonMember, .removed, .operator]

    /// About the room itself, which operators and API keys can reach in other ways whatever its visibility is.
    fileprivate var isAboutRoom: Bool {
        switch call {
        case .rest(_, let path, let body):
            !path.hasPrefix("/v1/admin") && (path.contains("{thread}") || body?.text.contains("{room}") == true)
        case .command(let json): json.text.contains("{thread}") || json.text.contains("{room}")
        case .form(_, let fields): fields.values.contains("{room}")
        }
    }

    /// Whether the call names the room by its title, so that whoever is not a member gets a room of their own.
    private var isByTitle: Bool { name.hasSuffix("the thread's title") }

    /// To others it does not exist.
    fileprivate var inPrivateRoom: RightsRow {
        with(visibility: "private") { reply in
            if isByTitle { return .yes }
            return reply == .denied ? .gone : .notFound
        }
    }

    /// To others it is as a public one, except for its title.
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
