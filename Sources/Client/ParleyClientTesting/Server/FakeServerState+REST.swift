import Foundation
import ParleyClient
import ParleyJSON

/// A request to a ``FakeChatServer``, taken apart.
struct FakeCall {
    let method: String
    let path: [String]
    let query: [String: String]
    let body: JSONTree
    let request: TransportRequest

    init?(_ request: TransportRequest) {
        guard let url = URLComponents(string: request.url) else { return nil }
        method = request.method
        path = url.percentEncodedPath.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
        query = Dictionary((url.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
        body = (try? JSONTree(parsing: request.body)) ?? .null
        self.request = request
    }

    func header(_ name: String) -> String? {
        request.headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// REST calls.
extension FakeServerState {
    static func answer(_ status: Int, _ tree: JSONTree? = nil, _ headers: [(String, String)] = []) -> TransportResponse
    {
        TransportResponse(status: status, headers: headers.map { ($0.0, $0.1) }, body: tree?.json ?? [])
    }

    static func refusal(_ status: Int, _ code: ServerErrorCode) -> TransportResponse {
        let text = JSONTree.text("refused by the fake server")
        return answer(status, .object(["error": .object(["code": .text(code.rawValue), "message": text])]))
    }

    static let missing = refusal(404, .notFound)

    mutating func answer(_ request: TransportRequest) -> TransportResponse {
        received.append(request)
        guard let call = FakeCall(request) else { return Self.refusal(400, .badRequest) }
        if !refusedRequests.isEmpty {
            let refusal = refusedRequests.removeFirst()
            let retryAfter = refusal.retryAfter.map { [("Retry-After", "\($0.components.seconds)")] } ?? []
            let answer = Self.refusal(refusal.code.status, refusal.code)
            return TransportResponse(
                status: answer.status, headers: retryAfter.map { ($0.0, $0.1) }, body: answer.body)
        }
        if call.path.first == "auth" { return authenticate(call) }
        guard let user = authenticated(request.headers) else { return Self.refusal(401, .unauthorized) }
        switch call.path.dropFirst().first {
        case "me":
            switch call.path.dropFirst(2).first {
            case "blocks": return answerBlocks(call, user)
            case "devices": return answerDevices(call, user)
            case "invitations": return answerOwnInvitations(call, user)
            case "notifications": return answerSettings(call, user)
            case "requests": return answerOwnRequests(call, user)
            default: return answerProfile(call, user)
            }
        case "threads", "direct": return answerThreads(call, user)
        case "links": return answerCode(call, user)
        case "users": return answerUsers(call)
        case "search": return search(call, user)
        case "attachments": return answerFiles(call, user)
        case "push": return answerPushServices()
        default: return Self.missing
        }
    }

    // MARK: Accounts

    private mutating func authenticate(_ call: FakeCall) -> TransportResponse {
        if call.path == ["auth", "logout"] {
            guard let token = call.header("cookie")?.dropFirst(10),
                let user = sessions.removeValue(forKey: String(token))
            else { return Self.refusal(401, .unauthorized) }
            end(code: 4001) { $0.user == user }
            return Self.answer(200, .object([JSONTree.Member]()))
        }
        guard let name = call.body["username"]?.text, let password = call.body["password"]?.text, !name.isEmpty else {
            return Self.refusal(400, .badRequest)
        }
        let known = find("name:\(name)")
        let user: ChatUser
        if call.path == ["auth", "signup"] {
            guard known == nil else { return Self.refusal(403, .forbidden) }
            guard password.count >= 8 else { return Self.refusal(400, .badRequest) }
            user = addUser(name, displayName: nil, password: password)
        } else {
            guard let known, accounts[known.id.rawValue]?.password == password else {
                return Self.refusal(401, .unauthorized)
            }
            user = known
        }
        return Self.answer(200, user.json, [("Set-Cookie", "sessionid=\(addSession(of: user)); Path=/")])
    }

    mutating func addUser(_ name: String, displayName: String?, password: String?) -> ChatUser {
        let user = ChatUser(id: ChatUser.ID(newID("u")), username: name, displayName: displayName)
        accounts[user.id.rawValue] = Account(user: user, password: password)
        return user
    }

    mutating func addSession(of user: ChatUser) -> String {
        let token = newID("session")
        sessions[token] = user.id.rawValue
        return token
    }

    private mutating func answerProfile(_ call: FakeCall, _ id: String) -> TransportResponse {
        if call.path.count > 2 { return answerSessions(call, id) }
        if call.method == "PATCH" {
            if let new = call.body["password"]?.text {
                guard call.body["old_password"]?.text == accounts[id]?.password else {
                    return Self.refusal(403, .forbidden)
                }
                accounts[id]?.password = new
                devices[id]?.removeAll { $0.session == nil }
            }
            if let name = call.body["display_name"] { accounts[id]?.user.displayName = name.text }
            if let url = call.body["avatar_url"] { accounts[id]?.user.avatarURL = url.text }
            pushProfile(of: id)
        }
        return Self.answer(200, user(id).json)
    }

    private mutating func answerSessions(_ call: FakeCall, _ user: String) -> TransportResponse {
        let own = call.header("authorization").map { String($0.dropFirst(7)) }
        let all = sessions.filter { $0.value == user }.keys.sorted()
        guard call.method == "DELETE" else {
            let list = all.map { token in
                // The fake server's IDs of sessions are their tokens.
                JSONTree.object([
                    "id": .text(token), "expires_ms": .integer(milliseconds + 86_400_000),
                    "current": .bool(token == own),
                ])
            }
            return Self.answer(200, .object(["sessions": .array(list), "next_cursor": .null]))
        }
        if call.path.count > 3 {
            guard sessions.removeValue(forKey: call.path[3]) != nil else { return Self.missing }
        } else {
            for token in all where token != own { sessions[token] = nil }
        }
        return Self.answer(204)
    }

    // MARK: Users and search

    private func answerUsers(_ call: FakeCall) -> TransportResponse {
        if call.path.count > 2 { return accounts[call.path[2]].map { Self.answer(200, $0.user.json) } ?? Self.missing }
        let found = accounts.values.map(\.user).filter { $0.username.hasPrefix(call.query["prefix"] ?? "") }
            .sorted { $0.username < $1.username }.prefix(call.limit)
        return Self.answer(200, .object(["users": .array(found.map(\.json))]))
    }

    private func search(_ call: FakeCall, _ user: String) -> TransportResponse {
        let words = (call.query["q"] ?? "").lowercased().split { !$0.isLetter && !$0.isNumber }
        var found: [StoredMessage] = []
        for room in rooms.values where room.members[user] != nil && [room.id, nil].contains(call.query["thread"]) {
            found += room.messages.values.filter { message in
                let text = Set(message.text.lowercased().split { !$0.isLetter && !$0.isNumber })
                return !words.isEmpty && words.allSatisfy { text.contains($0) }
            }
        }
        found.sort { ($1.milliseconds, $1.seq) < ($0.milliseconds, $0.seq) }
        let shown = found.prefix(call.limit).compactMap { rooms[$0.thread]?.json(ofMessage: $0.seq) }
        return Self.answer(200, .object(["results": .array(shown), "has_more": .bool(found.count > call.limit)]))
    }
}

extension FakeCall {
    var limit: Int { min(max(1, query["limit"].flatMap { Int($0) } ?? 30), 500) }
}

extension ServerErrorCode {
    /// The HTTP status of the code.
    fileprivate var status: Int {
        switch self {
        case .badRequest, .unknownCommand: 400
        case .unauthorized: 401
        case .forbidden, .notAMember: 403
        case .notFound: 404
        case .conflict: 409
        case .tooLarge: 413
        case .rateLimited: 429
        case .unavailable: 503
        case .other: 500
        }
    }
}

extension ChatUser {
    /// The profile, as REST describes it.
    var json: JSONTree {
        .object([
            "id": .text(id.rawValue), "username": .text(username), "display_name": displayName.map { .text($0) },
            "avatar_url": avatarURL.map { .text($0) },
        ])
    }
}
