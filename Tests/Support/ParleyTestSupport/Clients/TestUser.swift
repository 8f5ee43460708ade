/// A user with an account and a session, using the classic REST API.
package struct TestUser: Sendable {
    package let id: String
    package let name: String
    package let password: String
    /// The value of the `sessionid` cookie.
    package let sessionToken: String
    package let http: HTTPClient

    /// A page of messages as `load-messages` returns it.
    package struct Page: Sendable {
        /// Newest first.
        package let messages: [JSONValue]
        package let isEnd: Bool
    }

    /// A call returned a status other than 200.
    package struct Unexpected: Error, CustomStringConvertible {
        package let call: String
        package let reply: HTTPReply
        package var description: String { "\(call): \(reply)" }

        package init(call: String, reply: HTTPReply) {
            self.call = call
            self.reply = reply
        }
    }

    /// Creates an account, which logs the user in.
    package static func signUp(_ name: String, password: String = "correct horse", port: Int) async throws -> TestUser {
        try await enter("/auth/signup", name: name, password: password, port: port)
    }

    /// Logs in to an existing account.
    package static func logIn(_ name: String, password: String = "correct horse", port: Int) async throws -> TestUser {
        try await enter("/auth/login", name: name, password: password, port: port)
    }

    private static func enter(_ path: String, name: String, password: String, port: Int) async throws -> TestUser {
        let reply = try await HTTPClient(port: port).post(path, form: ["username": name, "password": password])
        guard reply.status == 200, let token = reply.cookie("sessionid"), let id = try reply.json()["id"]?.string else {
            throw Unexpected(call: path, reply: reply)
        }
        return TestUser(
            id: id, name: name, password: password, sessionToken: token,
            http: HTTPClient(port: port, headers: [("Cookie", "sessionid=\(token)")]))
    }

    // MARK: REST

    /// Joins the room of this title, which is created if it is missing.
    /// - Returns: The id of the thread.
    package func join(_ title: String) async throws -> String {
        let reply = try await http.post("/messaging/add-chatroom", form: ["title": title])
        guard reply.status == 200, let id = try reply.json()["id"]?.string else {
            throw Unexpected(call: "add-chatroom", reply: reply)
        }
        return id
    }

    /// The threads of `load-inbox`, newest activity first.
    package func inbox() async throws -> [JSONValue] {
        let reply = try await http.get("/messaging/load-inbox")
        guard reply.status == 200, let threads = try reply.json()["threads"]?.array else {
            throw Unexpected(call: "load-inbox", reply: reply)
        }
        return threads
    }

    /// `unread_count` of `thread`; `nil` if it is not in the inbox.
    package func unread(in thread: String) async throws -> Int? {
        try await inbox().first { $0["id"]?.string == thread }?["unread_count"]?.int
    }

    /// A page of `load-messages`; marks the thread read.
    /// - Parameter bounds: Further parameters, such as `"before_seq": "31"`.
    package func page(of thread: String, _ bounds: KeyValuePairs<String, String> = [:]) async throws -> Page {
        let more = bounds.map { "&\($0.key)=\(HTTPClient.escape($0.value))" }.joined()
        let reply = try await http.get("/messaging/load-messages?id=\(HTTPClient.escape(thread))\(more)")
        guard reply.status == 200, let messages = try reply.json()["messages"]?.array,
            let isEnd = try reply.json()["end"]?.bool
        else {
            throw Unexpected(call: "load-messages", reply: reply)
        }
        return Page(messages: messages, isEnd: isEnd)
    }

    /// All messages of `thread`, newest first, read page by page with `before_seq`.
    package func history(of thread: String) async throws -> [JSONValue] {
        var all: [JSONValue] = []
        var page = try await page(of: thread)
        while true {
            all += page.messages
            guard !page.isEnd, let oldest = page.messages.last?["seq"]?.int else { return all }
            page = try await self.page(of: thread, ["before_seq": "\(oldest)"])
        }
    }

    /// Ends this session.
    package func logOut() async throws {
        let reply = try await http.get("/auth/logout")
        guard reply.status == 200 else { throw Unexpected(call: "logout", reply: reply) }
    }

    // MARK: Sockets

    /// The headers that carry this session on a socket, as the tutorial's client sends them: a cookie and no `Origin`.
    package var cookieHeader: HTTPClient.Headers { [("Cookie", "sessionid=\(sessionToken)")] }

    /// Opens a socket for this user, in the classic dialect if no subprotocol is given.
    package func socket(subprotocols: [String] = [], offersCompression: Bool = false) async throws -> TestSocket {
        try await TestSocket.connect(
            port: http.port, headers: cookieHeader, subprotocols: subprotocols, offersCompression: offersCompression)
    }
}
