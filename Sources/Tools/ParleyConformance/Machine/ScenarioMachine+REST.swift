import ParleyJSON
import ParleyModel
import ParleyWire

/// A REST call.
package struct RESTCall: Sendable {
    package var method: String
    /// The path without the query.
    package var path: String
    package var query: [String: String]
    package var body: [UInt8]
    package var isAuthorized: Bool

    package init(method: String, path: String, query: [String: String], body: [UInt8], isAuthorized: Bool) {
        (self.method, self.path, self.query, self.body) = (method, path, query, body)
        self.isAuthorized = isAuthorized
    }
}

/// The answer to a REST call.
package struct RESTAnswer: Sendable {
    package var status = 200
    package var headers: [(String, String)] = []
    package var json: String

    init(status: Int = 200, _ tree: JSONTree, headers: [(String, String)] = []) {
        self.init(status: status, json: tree.canonical, headers: headers)
    }

    init(status: Int = 200, json: String, headers: [(String, String)] = []) {
        self.status = status
        self.json = json
        self.headers = headers
    }

    static func failure(_ status: Int, _ code: V1ErrorCode, _ message: String) -> RESTAnswer {
        RESTAnswer(
            status: status, .object(["error": .object(["code": .text(code.rawValue), "message": .text(message)])]),
            headers: status == 503 ? [("Retry-After", "1")] : [])
    }
}

/// The REST calls that clients need to begin: sessions, the user, the room and its history.
extension ScenarioMachine {
    /// Answers a call. A step may wait for the call, so the caller must handle `tick` afterwards.
    package mutating func respond(to call: RESTCall, at now: Duration) -> RESTAnswer {
        self.now = now
        checker.now = now
        if isRefusing || result != nil {
            let left = max(1, (refusedUntil - now).milliseconds + 200 + 999) / 1000
            var answer = RESTAnswer.failure(503, .unavailable, "refused by the scenario")
            answer.headers = refusesAll ? [] : [("Retry-After", "\(left)")]
            return answer
        }
        let path = call.path.split(separator: "/").map(String.init)
        switch (call.method, path.first, path.dropFirst().joined(separator: "/")) {
        case ("POST", "auth", "login"), ("POST", "auth", "signup"): return enter(call)
        case (_, "auth", "logout"): return RESTAnswer(.object([:]))
        default: break
        }
        guard call.isAuthorized else { return .failure(401, .unauthorized, "no valid credentials") }
        if path == ["v1", "admin", "import"] { return imported(call.body) }
        guard path.first == "v1" else { return .failure(404, .notFound, "no such call") }
        switch (call.method, Array(path.dropFirst())) {
        case ("GET", ["me"]): return RESTAnswer(userJSON)
        case ("GET", ["me", "sessions"]): return RESTAnswer(.object(["sessions": .array([])]))
        case ("POST", ["tickets"]):
            return RESTAnswer(
                status: 201, .object(["ticket": .text(tickets.issue()), "expires_in": .integer(30)]))
        case ("GET", ["threads"]):
            return RESTAnswer(.object(["threads": .array([thread]), "next_cursor": .null]))
        case ("GET", ["threads", "joinable"]): return RESTAnswer(.object(["threads": .array([])]))
        case ("POST", ["threads"]): return RESTAnswer(thread)
        case ("GET", let path) where path.first == "users": return RESTAnswer(userJSON)
        case (_, let path) where path.count >= 2 && path[0] == "threads" && path[1] == room.id.text:
            return ofRoom(call, path.dropFirst(2).joined(separator: "/"))
        default: return .failure(404, .notFound, "no such call, user or thread")
        }
    }

    private mutating func ofRoom(_ call: RESTCall, _ rest: String) -> RESTAnswer {
        switch (call.method, rest) {
        case ("GET", ""): return RESTAnswer(thread)
        case ("GET", "members"):
            let member = JSONTree.object(["thread_id": .text(room.id.text), "user": userJSON, "role": .text("member")])
            return RESTAnswer(.object(["members": .array([member]), "next_cursor": .null]))
        case ("GET", "messages"), ("GET", "events"): return page(call, isMessages: rest == "messages")
        case ("PUT", "read"):
            let seq = (try? JSONTree(parsing: call.body))?["seq"]?.integer
            read(room.id, seq, ref: nil)
            return RESTAnswer(
                .object(["thread_id": .text(room.id.text), "read_seq": .integer(room.readSeq)]))
        default: return .failure(404, .notFound, "the kit does not have this call")
        }
    }

    private var userJSON: JSONTree {
        .object(["id": .text(user.id.text), "username": .text(user.name)])
    }

    private var thread: JSONTree {
        .object([
            "id": .text(room.id.text), "title": .text(Room.title), "kind": .text("room"), "role": .text("member"),
            "epoch": room.head == 0 ? .null : .text(room.epoch), "seq": .integer(room.head),
            "unread": .integer(room.unread(after: room.readSeq)), "read_seq": .integer(room.readSeq),
            "last_message": .null,
        ])
    }

    /// Accepts any name and any password.
    private mutating func enter(_ call: RESTCall) -> RESTAnswer {
        guard let fields = try? JSONTree(parsing: call.body), let name = fields["username"]?.text, name.utf8.count < 200
        else { return .failure(400, .badRequest, "username and password are required, as JSON") }
        user = User(id: user.id, name: name)
        let cookie = "sessionid=\(session); Path=/; HttpOnly; SameSite=Lax"
        return RESTAnswer(userJSON, headers: [("Set-Cookie", cookie)])
    }

    private mutating func page(_ call: RESTCall, isMessages: Bool) -> RESTAnswer {
        let limit = call.query["limit"].flatMap { Int64($0) } ?? (isMessages ? 30 : 100)
        let after = call.query["after_seq"].flatMap { Int64($0) }.map { max(0, $0) }
        let request = V1HistoryRequest(
            thread: room.id, before: call.query["before_seq"].flatMap { Int64($0) }.map { max(0, $0) },
            after: after ?? (isMessages ? nil : 0), limit: min(max(1, limit), isMessages ? 200 : 1_000))
        checker.asked(after: request.after)
        let bounds = request.bounds(head: room.head)
        let seqs = (bounds.after..<bounds.through).map { $0 + 1 }
        let list = seqs.filter { room.messages[$0] != nil || !isMessages }.compactMap(room.json).joined(separator: ",")
        checker.covered(
            from: bounds.after + 1, to: bounds.through, isFresh: request.after == nil && request.before == nil)
        let epoch = room.head == 0 ? "null" : "\"\(room.epoch)\""
        let more =
            isMessages
            ? "\"has_more_before\":\(bounds.after > 0),\"has_more_after\":\(bounds.through < room.head)"
            : "\"has_more\":\(bounds.through < room.head)"
        return RESTAnswer(
            json: """
                {"\(isMessages ? "messages" : "events")":[\(list)],\(more),"epoch":\(epoch),"head_seq":\(room.head)}
                """)
    }

    /// Imports the users and threads of a back end. The first of each replaces the kit's own.
    private mutating func imported(_ body: [UInt8]) -> RESTAnswer {
        guard acceptedCount == 0 else { return .failure(409, .conflict, "a client has connected") }
        for line in body.split(separator: UInt8(ascii: "\n")) {
            guard let record = try? JSONTree(parsing: line) else { return .failure(400, .badRequest, "no JSON") }
            if let record = record["user"], let id = record["id"]?.text.flatMap({ UserID($0) }) {
                user = User(id: id, name: record["username"]?.text ?? id.text)
            } else if let id = record["thread"]?["id"]?.text.flatMap({ ThreadID($0) }) {
                room.id = id
            }
        }
        return RESTAnswer(
            .object([
                "users": .integer(1), "threads": .integer(1), "members": .integer(1), "unchanged": .integer(0),
                "errors": .array([]), "errors_omitted": .integer(0),
            ]))
    }
}
