import HTTPTypes
import ParleyModel
import Testing

/// A user with a session cookie.
struct SessionUser: Sendable {
    let fixture: RESTFixture
    let user: User
    let session: String

    var cookie: (String, String) { ("Cookie", "sessionid=\(session)") }

    func get(_ path: String) async throws -> Reply {
        try await fixture.send(.get, path, headers: [cookie])
    }

    func post(_ path: String, form: KeyValuePairs<String, String> = [:]) async throws -> Reply {
        try await fixture.post(path, form: form, headers: [cookie])
    }

    /// Joins the room of this title.
    func join(_ title: String) async throws -> ThreadID {
        let reply = try await post("/messaging/add-chatroom", form: ["title": title])
        try #require(reply.status == 200, "\(reply.text)")
        return try #require((reply.object["id"] as? String).flatMap { ThreadID($0) })
    }

    /// The inbox: title to unread count, in order.
    func inbox() async throws -> [(title: String, unread: Int)] {
        let threads = try #require(try await get("/messaging/load-inbox").object["threads"] as? [[String: Any]])
        return threads.map { ($0["title"] as? String ?? "", $0["unread_count"] as? Int ?? -1) }
    }

    /// A page of messages: their texts, and whether it is the last one.
    func page(_ thread: ThreadID, _ bounds: String = "") async throws -> (texts: [String], end: Bool) {
        let reply = try await get("/messaging/load-messages?id=\(thread)\(bounds)")
        let messages = try #require(reply.object["messages"] as? [[String: Any]], "\(reply.text)")
        return (messages.map { $0["text"] as? String ?? "" }, try #require(reply.object["end"] as? Bool))
    }
}

extension SessionUser {
    /// Sends a request with a JSON body, or with none.
    func call(
        _ method: HTTPRequest.Method, _ path: String, _ json: String = "", headers: [(String, String)] = []
    ) async throws -> Reply {
        let type = json.isEmpty ? [] : [("Content-Type", "application/json")]
        return try await fixture.send(method, path, headers: [cookie] + type + headers, body: Array(json.utf8))
    }

    /// Sends a message without storing anything.
    @discardableResult
    func send(_ text: String, in thread: ThreadID, key: String? = nil) async throws -> Reply {
        try await call(
            .post, "/v1/threads/\(thread)/messages", "{\"text\":\"\(text)\"}",
            headers: key.map { [("Idempotency-Key", $0)] } ?? [])
    }

    /// The messages of a thread's newest page.
    func messages(_ thread: ThreadID, _ query: String = "") async throws -> [[String: Any]] {
        let reply = try await get("/v1/threads/\(thread)/messages?limit=200\(query)")
        return try #require(reply.object["messages"] as? [[String: Any]], "\(reply.text)")
    }

    /// The types of the events in a thread's log.
    func events(_ thread: ThreadID) async throws -> [String] {
        let reply = try await get("/v1/threads/\(thread)/events?limit=1000")
        let events = try #require(reply.object["events"] as? [[String: Any]], "\(reply.text)")
        return events.map { $0["type"] as? String ?? "" }
    }
}
