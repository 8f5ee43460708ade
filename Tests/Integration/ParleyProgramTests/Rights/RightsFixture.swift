import ParleyTestServers
import ParleyTestSupport

/// A process in which every cell of the rights table is tried, each in a room and with users of its own.
struct RightsFixture: Sendable {
    private static let key = "pk_rights_0123456789abcdef0123456789abcdef"
    private static let secret = "a secret of 32 bytes for the JWTs"
    private static let password = "correct horse"

    let process: ParleyProcess

    /// A call came back as nobody expects, during the setup.
    struct Unexpected: Error, CustomStringConvertible {
        let call: String
        let reply: HTTPReply
        var description: String { "\(call): \(reply)" }
    }

    /// - Parameter cells: how many are tried.
    init(cells: Int) async throws {
        process = try await ParleyProcess.start(environment: [
            "PARLEY_API_KEYS": "rights:\(Self.key)", "PARLEY_JWT_HS256_KEY": Self.secret,
            "PARLEY_AUTH_ADMINS": (0..<cells).map(Self.operatorName).joined(separator: ","),
            "PARLEY_LIMITS_SENDS_PER_SECOND": "0",
            // Every cell imports five passwords; with the standard cost their hashes would take longer than all of its calls.
            "PARLEY_AUTH_PBKDF2_ITERATIONS": "1",
        ])
    }

    /// One who is erased in a cell is no operator in the next.
    private static func operatorName(_ cell: Int) -> String { "op\(cell)" }

    private var backEnd: HTTPClient {
        HTTPClient(port: process.port, headers: [("Authorization", "Bearer \(Self.key)")])
    }

    // MARK: Trying

    /// What `actor` gets for the call of `row`.
    /// - Parameter cell: makes names that no other cell has.
    func response(to row: RightsRow, for actor: RightsActor, cell: Int) async throws -> RightsReply? {
        let stage = try await Stage(self, actor, row, cell: cell)
        switch row.call {
        case .rest(let method, let path, let body):
            var headers = stage.headers
            if body != nil { headers.append(("Content-Type", "application/json")) }
            let reply = try await HTTPClient(port: process.port).send(
                method, stage.fill(path, isPath: true), headers: headers,
                body: body.map { Array(stage.fill($0.text).utf8) } ?? (method == "GET" ? nil : []))
            return Self.response(reply)
        case .form(let path, let fields):
            let text = fields.map { "\($0.key)=\(HTTPClient.escape(stage.fill($0.value)))" }.joined(separator: "&")
            let type: HTTPClient.Headers = [("Content-Type", "application/x-www-form-urlencoded")]
            let reply = try await HTTPClient(port: process.port).send(
                "POST", path, headers: stage.headers + type, body: Array(text.utf8))
            return Self.response(reply)
        case .command(let json):
            return try await response(to: json, stage)
        }
    }

    private func response(to command: JSONValue, _ stage: Stage) async throws -> RightsReply? {
        switch try await TestSocket.open(port: process.port, headers: stage.headers, subprotocols: ["parley.v1"]) {
        case .refused(let reply):
            return Self.response(reply)
        case .accepted(let socket):
            guard case .object(var members) = try JSONValue(parsing: stage.fill(command.text)) else { return nil }
            members["ref"] = 1
            _ = try await socket.nextJSON { $0["type"]?.string == "hello" }
            try await socket.send(json: .object(members))
            let reply = try await socket.nextJSON { $0["ref"]?.int == 1 }
            await socket.drop()
            if reply["type"]?.string == "error" { return reply["code"]?.string.flatMap { RightsReply(code: $0) } }
            let states = reply["threads"]?.object?.values.compactMap { $0["state"]?.string } ?? []
            if states.contains("gone") { return .gone }
            return states.contains("denied") ? .denied : .yes
        }
    }

    private static func response(_ reply: HTTPReply) -> RightsReply? {
        (200..<300).contains(reply.status) ? .yes : reply.errorCode.flatMap { RightsReply(code: $0) }
    }

    // MARK: Setting

    /// - Parameter hasPassword: Only for users who log in, since a hash takes longer than all calls of a cell.
    private static func user(_ name: String, hasPassword: Bool = false) -> JSONValue {
        hasPassword
            ? ["user": ["id": .string(name), "username": .string(name), "password": .string(password)]]
            : ["user": ["id": .string(name), "username": .string(name)]]
    }

    private static func importLines(_ lines: [JSONValue], _ back: HTTPClient) async throws {
        let body = lines.map { $0.text + "\n" }.joined()
        let reply = try await back.send("POST", "/v1/admin/import", body: Array(body.utf8))
        guard reply.status == 200, try reply.json()["errors"]?.array?.isEmpty == true else {
            throw Unexpected(call: "import", reply: reply)
        }
    }

    private static func token(of user: String) -> String {
        TokenSigner.hs256(["sub": .string(user), "exp": TokenSigner.time(600)], key: secret)
    }

    /// The room and the users of one cell.
    private struct Stage {
        let headers: HTTPClient.Headers
        private let replacements: [(String, String)]

        init(_ fixture: RightsFixture, _ actor: RightsActor, _ row: RightsRow, cell: Int) async throws {
            let name = { (part: String) in "u\(cell)-\(part)" }
            let (author, boss, reader, newcomer) = (name("author"), name("boss"), name("reader"), name("newcomer"))
            let requester = actor == .operator ? RightsFixture.operatorName(cell) : name("actor")
            let thread = "t\(cell)"
            var lines = [author, boss, reader, newcomer].map { RightsFixture.user($0) }
            lines.append(RightsFixture.user(requester, hasPassword: actor == .operator || actor == .revoked))
            lines.append([
                "thread": [
                    "id": .string(thread), "title": .string("Room \(cell)"), "visibility": .string(row.visibility),
                ]
            ])
            let member = { (user: String, role: String) -> JSONValue in
                ["member": ["thread": .string(thread), "user": .string(user), "role": .string(role)]]
            }
            lines += [member(author, "member"), member(boss, "owner"), member(reader, "read_only")]
            // The actor writes before their role allows it no more.
            let isMember = actor.role != nil
            if isMember || actor == .removed || actor == .banned {
                lines.append(member(requester, actor == .readOnly ? "member" : actor.role ?? "member"))
            }
            try await RightsFixture.importLines(lines, fixture.backEnd)
            // Also for calls that do not name it: those that read have something to read, and to leak.
            let message = try await fixture.say("a word", as: author, in: thread)
            let attachment = row.needs("{attachment}") ? try await fixture.attach(as: author, in: thread) : ""
            let own =
                isMember && row.needs("{own}") ? try await fixture.say("my word", as: requester, in: thread) : message
            if actor == .readOnly {
                let reply = try await fixture.backEnd.post(
                    "/v1/admin/threads/\(thread)/members", json: ["user": .string(requester), "role": "read_only"])
                guard reply.status == 200 else { throw Unexpected(call: "role", reply: reply) }
            }
            if actor == .removed {
                let reply = try await fixture.backEnd.send(
                    "DELETE", "/v1/admin/threads/\(thread)/members/\(requester)")
                guard reply.status == 204 else { throw Unexpected(call: "removal", reply: reply) }
            }
            if actor == .invited {
                let reply = try await fixture.backEnd.send(
                    "PUT", "/v1/threads/\(thread)/invitations/\(requester)",
                    headers: [("X-Parley-User", boss), ("Content-Type", "application/json")], body: Array("{}".utf8))
                guard [200, 201].contains(reply.status) else { throw Unexpected(call: "invitation", reply: reply) }
            }
            if actor == .blocked {
                let reply = try await fixture.backEnd.send(
                    "PUT", "/v1/me/blocks/\(requester)",
                    headers: [("X-Parley-User", author), ("Content-Type", "application/json")], body: Array("{}".utf8))
                guard reply.status < 300 else { throw Unexpected(call: "block", reply: reply) }
            }
            if actor == .muted || actor == .banned {
                let kind = actor == .muted ? "mute" : "ban"
                let path = "/v1/admin/threads/\(thread)/sanctions/\(requester)/\(kind)"
                let reply = try await fixture.backEnd.send(
                    "PUT", path, headers: [("Content-Type", "application/json")], body: Array("{}".utf8))
                guard reply.status == 200 else { throw Unexpected(call: kind, reply: reply) }
            }
            let (direct, secret) =
                row.needs("{direct}", "{secret}") ? try await fixture.whisper(from: author, to: boss) : ("", "")
            let link =
                row.needs("{link}", "{code}") ? try await fixture.link(by: boss, into: thread) : (id: "", code: "")
            headers = try await fixture.headers(of: requester, as: actor)
            replacements = [
                ("{link}", link.id), ("{code}", link.code), ("{direct}", direct), ("{secret}", secret),
                ("{thread}", thread), ("{actor}", requester), ("{author}", author), ("{boss}", boss),
                ("{reader}", reader),
                ("{newcomer}", newcomer), ("{message}", message), ("{own}", own),
                ("{attachment}", attachment), ("{title}", "Title \(cell)"), ("{room}", "Room \(cell)"),
                ("{token of the author}", RightsFixture.token(of: author)),
            ]
        }

        func fill(_ text: String, isPath: Bool = false) -> String {
            replacements.reduce(text) { $0.replacing($1.0, with: isPath ? HTTPClient.escape($1.1) : $1.1) }
        }
    }

    private func say(_ text: String, as user: String, in thread: String) async throws -> String {
        let reply = try await backEnd.post(
            "/v1/threads/\(thread)/messages", json: ["text": .string(text)], headers: [("X-Parley-User", user)])
        guard reply.status == 201, let id = try reply.json()["id"]?.string else {
            throw Unexpected(call: "send", reply: reply)
        }
        return id
    }

    /// Makes a link into a room.
    private func link(by user: String, into thread: String) async throws -> (id: String, code: String) {
        let reply = try await backEnd.post("/v1/threads/\(thread)/links", json: [:], headers: [("X-Parley-User", user)])
        guard reply.status == 201, let id = try reply.json()["id"]?.string,
            let code = try reply.json()["code"]?.string
        else { throw Unexpected(call: "link", reply: reply) }
        return (id, code)
    }

    /// Opens a direct thread with a message.
    private func whisper(from user: String, to other: String) async throws -> (thread: String, message: String) {
        let reply = try await backEnd.post(
            "/v1/direct", json: ["user": .string(other)], headers: [("X-Parley-User", user)])
        guard [200, 201].contains(reply.status), let thread = try reply.json()["id"]?.string else {
            throw Unexpected(call: "direct", reply: reply)
        }
        return (thread, try await say("a secret", as: user, in: thread))
    }

    /// Sends a message with a file.
    private func attach(as user: String, in thread: String) async throws -> String {
        let reply = try await backEnd.send(
            "POST", "/v1/attachments?name=a", headers: [("X-Parley-User", user)], body: Array("bytes".utf8))
        guard reply.status == 201, let id = try reply.json()["id"]?.string else {
            throw Unexpected(call: "upload", reply: reply)
        }
        let parts: JSONValue = [["attachment": .string(id)]]
        let sent = try await backEnd.post(
            "/v1/threads/\(thread)/messages", json: ["parts": parts], headers: [("X-Parley-User", user)])
        guard sent.status == 201 else { throw Unexpected(call: "send", reply: sent) }
        return id
    }

    /// The credentials of an actor.
    private func headers(of user: String, as actor: RightsActor) async throws -> HTTPClient.Headers {
        func bearer(_ token: String) -> HTTPClient.Headers { [("Authorization", "Bearer \(token)")] }
        switch actor {
        case .nobody: return []
        case .nonMember, .invited, .removed, .banned, .muted, .blocked, .readOnly, .member, .moderator, .owner:
            return bearer(Self.token(of: user))
        case .operator: return bearer(try await TestUser.logIn(user, port: process.port).sessionToken)
        case .apiKey: return bearer(Self.key)
        case .revoked:
            let session = try await TestUser.logIn(user, port: process.port).sessionToken
            let reply = try await backEnd.send("POST", "/v1/admin/users/\(user)/revoke-sessions", body: [])
            guard reply.status == 200 else { throw Unexpected(call: "revoke-sessions", reply: reply) }
            return bearer(session)
        case .suspended:
            let reply = try await backEnd.send(
                "PUT", "/v1/admin/users/\(user)/suspension", headers: [("Content-Type", "application/json")],
                body: Array("{}".utf8))
            guard reply.status == 200 else { throw Unexpected(call: "suspension", reply: reply) }
            return bearer(Self.token(of: user))
        case .erased:
            let headers = bearer(Self.token(of: user))
            let reply = try await HTTPClient(port: process.port, headers: headers).send("DELETE", "/v1/me")
            guard reply.status == 204 else { throw Unexpected(call: "DELETE /v1/me", reply: reply) }
            return headers
        }
    }
}
