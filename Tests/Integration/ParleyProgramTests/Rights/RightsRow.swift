import ParleyTestSupport

/// One call, and what each actor gets for it.
///
/// Texts of a call may hold these: `{thread}`, the room; `{actor}`, who asks; `{author}`, a plain member of it, and
/// `{message}`, a message of theirs; `{own}`, a message of the actor; `{attachment}`, a file in a message of the author; `{reader}`, a `read_only` member; `{boss}`, an
/// owner; `{newcomer}`, a user outside of the room; `{room}`, its title; `{title}`, a title that no room has;
/// `{link}` and `{code}`, a link into the room; `{direct}`, the direct thread of author and owner, and `{secret}`, a message in it.
struct RightsRow: Sendable {
    enum Call: Sendable {
        case rest(method: String, path: String, body: JSONValue?)
        /// A command of a v1 socket, without its `ref`.
        case command(JSONValue)
        /// A classic frame or call has its own row only where it has a right of its own.
        case form(path: String, fields: [String: String])
    }

    /// As the documents say it; the row's identity.
    var name: String
    let call: Call
    var responses: [RightsActor: RightsReply]
    /// The visibility of the room.
    var visibility = "public"

    /// - Parameters:
    ///   - responses: one letter of `RightsReply` for each actor but `invited`, `removed`, `banned`, `muted`, `blocked` and
    ///     `suspended`, in the order of `RightsActor.allCases`; spaces do not count. A muted member gets the answers of a
    ///     `read_only` one, and a suspended user `suspended` for every call.
    ///   - removed: for a user who was removed or banned; `nil` for the same as for others who are no members.
    private init(_ name: String, _ call: Call, _ responses: String, _ removed: RightsReply?) {
        self.name = name
        self.call = call
        var letters = responses.filter { $0 != " " }.compactMap { RightsReply(rawValue: $0) }
        let (outsider, silenced, member) = (letters[1], letters[2], letters[3])
        letters.insert(contentsOf: [outsider, removed ?? outsider, removed ?? outsider, silenced, member], at: 2)
        letters.append(.suspended)
        precondition(letters.count == RightsActor.allCases.count, "\(name): one answer for each actor")
        self.responses = Dictionary(uniqueKeysWithValues: zip(RightsActor.allCases, letters))
    }

    /// - Parameter path: what is asked for, if `call` has placeholders of the documents or no query.
    static func rest(
        _ call: String, note: String = "", path: String? = nil, body: JSONValue? = nil, _ responses: String,
        removed: RightsReply? = nil
    ) -> RightsRow {
        let parts = call.split(separator: " ", maxSplits: 1).map(String.init)
        let name = note.isEmpty ? "`\(call)`" : "`\(call)`, \(note)"
        return RightsRow(name, .rest(method: parts[0], path: path ?? parts[1], body: body), responses, removed)
    }

    static func command(
        _ name: String, note: String = "", _ json: JSONValue, _ responses: String, removed: RightsReply? = nil
    ) -> RightsRow {
        RightsRow(note.isEmpty ? "`\(name)`" : "`\(name)`, \(note)", .command(json), responses, removed)
    }

    static func form(
        _ path: String, note: String = "", _ fields: [String: String], _ responses: String,
        removed: RightsReply? = nil
    ) -> RightsRow {
        let name = note.isEmpty ? "`POST \(path)`" : "`POST \(path)`, \(note)"
        return RightsRow(name, .form(path: path, fields: fields), responses, removed)
    }

    /// The row with other answers for some actors.
    func but(_ others: [RightsActor: RightsReply]) -> RightsRow {
        var row = self
        row.responses.merge(others) { $1 }
        return row
    }

    /// Whether a text of the call holds one of these placeholders.
    func needs(_ placeholders: String...) -> Bool {
        let text =
            switch call {
            case .rest(_, let path, let body): path + (body?.text ?? "")
            case .command(let json): json.text
            case .form(let path, let fields): path + fields.values.joined()
            }
        return placeholders.contains { text.contains($0) }
    }

    /// The method and the path without its query, as `/openapi.json` has them.
    var route: String? {
        guard case .rest(let method, _, _) = call else {
            if case .form(let path, _) = call { return "POST \(path)" }
            return nil
        }
        let path = name.split(separator: "`")[0].split(separator: " ")[1].prefix { $0 != "?" }
        return "\(method) \(path)"
    }
}

/// The whole table, which docs/rights.md shows and `RightsTests` tries.
enum RightsTable {
    static let rows = rest + hiddenRest + closedRest + commands + hiddenCommands + closedCommands

    /// Calls that need no rights or reach only what is the caller's own, and are tested elsewhere.
    static let exempt: Set = [
        "POST /auth/signup", "POST /auth/login", "GET /auth/oidc", "GET /auth/oidc/callback", "GET /auth/logout",
        "POST /auth/logout", "GET /chat", "GET /connect",
        "GET /v1/socket", "DELETE /v1/me/sessions/{session}", "GET /healthz", "GET /readyz",
        "GET /readyz/sockets", "GET /readyz/rest", "GET /metrics",
        "GET /openapi.json",
    ]

    /// The part of docs/rights.md that is made from the rows.
    static var markdown: String {
        func table(_ rows: [RightsRow]) -> String {
            let head = "| | " + RightsActor.allCases.map(\.rawValue).joined(separator: " | ") + " |\n"
            let rule = "|---|" + String(repeating: "---|", count: RightsActor.allCases.count) + "\n"
            let lines = rows.map { row in
                "| \(row.name) | "
                    + RightsActor.allCases.map { row.responses[$0]?.text ?? "" }.joined(separator: " | ") + " |\n"
            }
            return head + rule + lines.joined()
        }
        return "## REST\n\n" + table(rest + hiddenRest + closedRest) + "\n## Commands of v1 sockets\n\n"
            + table(commands + hiddenCommands + closedCommands)
    }
}
