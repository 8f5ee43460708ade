import ParleyTestServers
import ParleyTestSupport
import Testing

/// A cluster with threads that are full of one word, and users who may not know of them.
struct LeakStage: Sendable {
    /// A text of everything in the hidden threads.
    static let word = "zyxomma"
    /// Users whose relation to the private room and the group differs. None is a member.
    static let outsiders = [
        "stranger", "invited", "requesting", "removed", "banned", "muted", "gone", "blocked", "blocking",
    ]
    /// Calls that name no thread have these settings, since every outsider asks hundreds of times.
    static let environment = [
        "PARLEY_LIMITS_SENDS_PER_SECOND": "0", "PARLEY_LIMITS_READS_PER_SECOND": "0",
        "PARLEY_LIMITS_TYPING_PER_SECOND": "0", "PARLEY_LIMITS_HISTORY_PER_SECOND": "0",
        "PARLEY_LIMITS_LISTS_PER_SECOND": "0", "PARLEY_LIMITS_SEARCHES_PER_SECOND": "0",
        "PARLEY_LIMITS_FILES_PER_SECOND": "0",
    ]

    struct Hidden: Sendable {
        let id: String
        let message: String
    }

    let owner: TestUser
    let member: TestUser
    let users: [String: TestUser]
    let room: Hidden
    let group: Hidden
    let direct: Hidden
    let file: String
    let link: String
    /// A public room in which all users are, except the member.
    let hall: String

    var hidden: [Hidden] { [room, group, direct] }
    /// What no outsider may receive.
    var secrets: [String] { hidden.flatMap { [$0.id, $0.message] } + [Self.word, file] }

    /// - Parameter port: A listener for REST.
    init(port: Int) async throws {
        let owner = try await TestUser.signUp("owner", port: port)
        let member = try await TestUser.signUp("member", port: port)
        var users: [String: TestUser] = [:]
        for name in Self.outsiders { users[name] = try await TestUser.signUp(name, port: port) }
        let word = JSONValue.string(Self.word)
        let hall = try await Self.id(owner.call("POST", "/v1/threads", ["title": "Hall"]))
        let room = try await Self.id(
            owner.call("POST", "/v1/threads", ["title": .string("\(Self.word) room"), "visibility": "private"]))
        let group = try await Self.id(
            owner.call(
                "POST", "/v1/threads",
                ["kind": "group", "members": ["member"], "title": .string("\(Self.word) group")]))
        let details: JSONValue = ["topic": word, "description": word, "rules": word]
        try await Self.check(owner.call("PATCH", "/v1/threads/\(room)", details))
        try await Self.check(owner.call("POST", "/v1/threads/\(room)/members", ["user": "member"]))
        let direct = try await Self.id(owner.call("POST", "/v1/direct", ["user": "member"]))
        let file = try await Self.id(
            owner.http.send("POST", "/v1/attachments?name=\(Self.word)", body: Array(Self.word.utf8)))
        var hidden: [Hidden] = []
        for thread in [room, group, direct] {
            let message = try await Self.id(
                owner.call(
                    "POST", "/v1/threads/\(thread)/messages",
                    ["text": .string("\(Self.word) text"), "parts": [["attachment": .string(file)]]]))
            try await Self.check(
                member.call("PUT", "/v1/threads/\(thread)/messages/\(message)/reactions/\(Self.word)", nil))
            hidden.append(Hidden(id: thread, message: message))
        }
        link = try await Self.id(owner.call("POST", "/v1/threads/\(room)/links", [:]))
        for thread in [room, group] { try await Self.relate(users, to: thread, owner) }
        try await Self.check(owner.call("PUT", "/v1/me/blocks/blocked", [:]))
        for (name, user) in users {
            if name == "blocking" { try await Self.check(user.call("PUT", "/v1/me/blocks/owner", [:])) }
            try await Self.check(user.call("POST", "/v1/threads/\(hall)/members", ["user": .string(name)]))
        }
        (self.owner, self.member, self.users, self.file, self.hall) = (owner, member, users, file, hall)
        (self.room, self.group, self.direct) = (hidden[0], hidden[1], hidden[2])
    }

    /// Gives users their relation to a thread.
    private static func relate(_ users: [String: TestUser], to thread: String, _ owner: TestUser) async throws {
        let path = "/v1/threads/\(thread)"
        for name in ["removed", "muted", "gone"] {
            try await check(owner.call("POST", path + "/members", ["user": .string(name)]))
        }
        try await check(owner.call("DELETE", path + "/members/removed", nil))
        try await check(owner.call("PUT", path + "/sanctions/banned/ban", ["reason": .string(word)]))
        try await check(owner.call("PUT", path + "/sanctions/muted/mute", ["reason": .string(word)]))
        for name in ["muted", "gone"] {
            try await check(#require(users[name]).call("DELETE", path + "/members/\(name)", nil))
        }
        try await check(owner.call("PUT", path + "/invitations/invited", [:]))
        try await check(#require(users["requesting"]).call("POST", path + "/requests", [:]))
    }

    static func check(_ reply: HTTPReply) throws {
        try #require((200..<300).contains(reply.status), "\(reply)")
    }

    private static func id(_ reply: HTTPReply) throws -> String {
        try #require(try reply.json()["id"]?.string, "\(reply)")
    }

    // MARK: Calls

    /// Fills the placeholders of `HiddenCall`.
    func fill(_ text: String, _ thread: Hidden, _ user: TestUser) -> String {
        let values = [
            ("{thread}", thread.id), ("{message}", thread.message), ("{file}", file), ("{link}", link),
            ("{me}", user.name), ("{member}", member.name), ("{word}", Self.word),
        ]
        return values.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    /// An answer in which the IDs and times are replaced by what they stand for.
    func answer(to call: HiddenCall, about thread: Hidden, by user: TestUser) async throws -> String {
        let body = try call.body.map { try JSONValue(parsing: fill($0.text, thread, user)) }
        let reply = try await user.call(call.method, fill(call.path, thread, user), body)
        // The length follows from the body, and the others from the request.
        let others = ["content-length", "date", "x-request-id"]
        let headers = reply.headers.filter { !others.contains($0.name.lowercased()) }
            .map { "\($0.name): \($0.value)" }.sorted()
        return Self.plain("\(reply.status) \(headers) \(reply.text)", thread)
    }

    static func plain(_ text: String, _ thread: Hidden) -> String {
        text.replacing(thread.id, with: "{thread}").replacing(thread.message, with: "{message}")
            .replacing(/"(since|until)_ms":\d+/, with: "\"ms\"")
    }
}

extension TestUser {
    /// - Parameter json: The body; `nil` for none.
    func call(_ method: String, _ path: String, _ json: JSONValue?) async throws -> HTTPReply {
        guard let json else { return try await http.send(method, path, body: method == "GET" ? nil : []) }
        return try await http.send(
            method, path, headers: [("Content-Type", "application/json")], body: Array(json.text.utf8))
    }
}
