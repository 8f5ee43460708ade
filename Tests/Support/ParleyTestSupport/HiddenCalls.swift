/// Calls and commands about a thread that the caller may not know of.
///
/// Texts may hold these: `{thread}`; `{message}`, a message in it; `{file}`, a file of that message; `{link}`, a link into it;
/// `{me}`, the caller; `{member}`, a member; `{owner}`, its owner; `{word}`, a text of the thread.
package struct HiddenCall: Sendable, CustomStringConvertible {
    package let method: String
    /// `{thread}` is the ID.
    package let path: String
    package let body: JSONValue?

    package var description: String { "\(method) \(path) \(body?.text ?? "")" }

    init(_ method: String, _ path: String, _ body: JSONValue? = nil) {
        self.method = method
        self.path = path
        self.body = body
    }

    /// Whether an invitation of the caller to the thread decides about the answer.
    package var isOfInvitation: Bool { path.hasPrefix("/v1/me/invitations") }

    /// Each path about a thread, with the variants whose answers could differ.
    package static let all: [HiddenCall] = reading + changing + entrances + moderation + messages

    private static let thread = "/v1/threads/{thread}"

    private static let reading = [
        HiddenCall("GET", "/messaging/load-messages?id={thread}"),
        HiddenCall("GET", "/v1/search?q={word}&thread={thread}"), HiddenCall("GET", thread),
        HiddenCall("GET", thread + "/members"), HiddenCall("GET", thread + "/members?limit=1"),
        HiddenCall("GET", thread + "/messages"), HiddenCall("GET", thread + "/messages?around_seq=1"),
        HiddenCall("GET", thread + "/messages?before_seq=2"),
        HiddenCall("GET", thread + "/messages?after_seq=0&limit=1"), HiddenCall("GET", thread + "/events"),
        HiddenCall("GET", thread + "/events?after_seq=0"), HiddenCall("GET", thread + "/notifications"),
        HiddenCall("PATCH", thread + "/notifications", ["level": "all"]), HiddenCall("PUT", thread + "/read", [:]),
        HiddenCall("PUT", thread + "/read", ["seq": 1]),
    ]

    private static let changing = [
        HiddenCall("PATCH", thread, ["title": "mine"]), HiddenCall("PATCH", thread, ["topic": "mine"]),
        HiddenCall("PATCH", thread, ["visibility": "public"]), HiddenCall("PATCH", thread, ["history": "all"]),
        HiddenCall("PATCH", thread, ["picture": ""]), HiddenCall("PATCH", thread, ["archived": true]),
        HiddenCall("PATCH", thread, ["slow_mode_seconds": 5]),
        HiddenCall("PATCH", thread, ["rights": ["attach": "everyone"]]),
        HiddenCall("PATCH", thread, ["title": "mine", "topic": "mine", "visibility": "public"]),
        HiddenCall("DELETE", thread), HiddenCall("POST", thread + "/owner", ["user": "{member}"]),
        HiddenCall("POST", thread + "/owner", ["user": "{me}"]),
        HiddenCall("POST", thread + "/owner", ["user": "none"]),
        HiddenCall("POST", thread + "/members", ["user": "{me}"]),
        HiddenCall("POST", thread + "/members", ["user": "{member}"]),
        HiddenCall("POST", thread + "/members", ["user": "none"]),
        HiddenCall("POST", thread + "/members", ["user": "{member}", "role": "read_only"]),
        HiddenCall("DELETE", thread + "/members/{me}"), HiddenCall("DELETE", thread + "/members/{member}"),
        HiddenCall("DELETE", thread + "/members/none"),
    ]

    private static let entrances = [
        HiddenCall("GET", thread + "/links"), HiddenCall("POST", thread + "/links", [:]),
        HiddenCall("DELETE", thread + "/links/{link}"), HiddenCall("GET", thread + "/invitations"),
        HiddenCall("PUT", thread + "/invitations/{me}", [:]), HiddenCall("PUT", thread + "/invitations/{member}", [:]),
        HiddenCall("PUT", thread + "/invitations/none", [:]), HiddenCall("DELETE", thread + "/invitations/{me}"),
        HiddenCall("POST", "/v1/me/invitations/{thread}/accept", [:]),
        HiddenCall("DELETE", "/v1/me/invitations/{thread}"), HiddenCall("GET", thread + "/requests"),
        HiddenCall("POST", thread + "/requests/{me}/accept", [:]), HiddenCall("DELETE", thread + "/requests/{me}"),
        HiddenCall("POST", thread + "/requests/{member}/accept", [:]),
        HiddenCall("POST", thread + "/requests", ["text": "please"]), HiddenCall("POST", thread + "/requests", [:]),
        HiddenCall("DELETE", "/v1/me/requests/{thread}"), HiddenCall("DELETE", "/v1/me/requests/{thread}"),
        HiddenCall("POST", thread + "/requests", [:]), HiddenCall("DELETE", "/v1/me/requests/{thread}"),
    ]

    private static let moderation = [
        HiddenCall("GET", thread + "/audit"), HiddenCall("GET", thread + "/sanctions"),
        HiddenCall("PUT", thread + "/sanctions/{member}/mute", [:]),
        HiddenCall("PUT", thread + "/sanctions/{me}/ban", [:]), HiddenCall("PUT", thread + "/sanctions/none/ban", [:]),
        HiddenCall("DELETE", thread + "/sanctions/{me}/mute"), HiddenCall("DELETE", thread + "/sanctions/{me}/ban"),
        HiddenCall("DELETE", thread + "/sanctions/{member}/mute"),
    ]

    private static let messages = [
        HiddenCall("POST", thread + "/messages", ["text": "mine"]),
        HiddenCall("POST", thread + "/messages", ["text": "mine", "reply_to": 1]),
        HiddenCall("POST", thread + "/messages", ["parts": [["attachment": "{file}"]]]),
        HiddenCall("PATCH", thread + "/messages/{message}", ["text": "mine"]),
        HiddenCall("DELETE", thread + "/messages/{message}"),
        HiddenCall("PUT", thread + "/messages/{message}/reactions/x"),
        HiddenCall("DELETE", thread + "/messages/{message}/reactions/{word}"),
    ]

    /// Each command of a v1 socket about a thread, without its `ref`. `resume` is apart, since it has to be the first.
    package static let commands: [JSONValue] = [
        ["message": ["id": "{thread}", "text": "mine"]],
        ["message": ["id": "{thread}", "text": "mine", "reply_to": 1]],
        ["message": ["id": "{thread}", "parts": [["attachment": "{file}"]]]],
        ["edit": ["id": "{thread}", "message_id": "{message}", "text": "mine"]],
        ["delete": ["id": "{thread}", "message_id": "{message}"]],
        ["react": ["id": "{thread}", "message_id": "{message}", "emoji": "x", "on": true]],
        ["react": ["id": "{thread}", "message_id": "{message}", "emoji": "{word}", "on": false]],
        ["read": ["id": "{thread}", "seq": 1]], ["read": ["id": "{thread}"]],
        ["typing": ["id": "{thread}", "on": true]], ["typing": ["id": "{thread}", "on": false]],
        ["history": ["id": "{thread}"]], ["history": ["id": "{thread}", "after": 0]],
        ["history": ["id": "{thread}", "before": 3, "limit": 1]], ["leave": ["id": "{thread}"]],
    ]

    /// The paths about one thread in `/openapi.json`, compared with those of the document.
    /// - Parameter described: Method and path of each call of the document.
    /// - Returns: The calls about a thread that `all` lacks.
    package static func missing(from described: [String]) -> [String] {
        func shape(_ path: some StringProtocol) -> String {
            let path = path.prefix { $0 != "?" }
            let parts = path.split(separator: "/").map { $0.hasPrefix("{") ? "{}" : String($0) }
            return parts.joined(separator: "/")
        }
        let fixed = ["none": "{}", "x": "{}", "mute": "{}", "ban": "{}"]
        let known = Set(
            all.map { call in
                let path = shape(call.path).split(separator: "/").map { fixed[String($0)] ?? String($0) }
                return "\(call.method) \(path.joined(separator: "/"))"
            })
        return described.filter { call in
            let parts = call.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, !parts[1].hasPrefix("/v1/admin"), parts[1].contains("threads/{id}") else {
                return false
            }
            return !known.contains("\(parts[0]) \(shape(parts[1]))")
        }
    }
}
