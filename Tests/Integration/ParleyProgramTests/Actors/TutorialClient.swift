import Foundation
import ParleyTestSupport

/// Behaves as the iOS client of the Django Channels tutorial does: a form-encoded login, the session cookie put by hand
/// on a `URLSessionWebSocketTask`, frames written exactly as its encoder writes them, paging by the oldest date it has.
struct TutorialClient {
    let user: TestUser
    let socket: TestSocket

    /// Logs in (the account must exist) and opens the socket.
    static func start(_ name: String, password: String = "correct horse", port: Int) async throws -> TutorialClient {
        let user = try await TestUser.logIn(name, password: password, port: port)
        let socket = try await TestSocket.connect(port: port, path: "/chat", headers: headers(of: user))
        return TutorialClient(user: user, socket: socket)
    }

    /// What CFNetwork adds to a WebSocket request on its own, and the cookie. There is no `Origin`.
    static func headers(of user: TestUser) -> HTTPClient.Headers {
        [
            ("Accept", "*/*"), ("Sec-WebSocket-Extensions", "permessage-deflate"), ("Cache-Control", "no-cache"),
            ("Pragma", "no-cache"), ("User-Agent", "Chat/1 CFNetwork/1494.0.7 Darwin/23.4.0"),
            ("Accept-Language", "en-GB,en;q=0.9"), ("Accept-Encoding", "gzip, deflate"),
            ("Cookie", "sessionid=\(user.sessionToken)"),
        ]
    }

    func send(_ text: String, to thread: String) async throws {
        let quoted = JSONValue.string(text).text
        try await socket.send(text: #"{"message":{"id":"\#(thread)","text":\#(quoted)}}"#)
    }

    func markRead(_ thread: String) async throws {
        try await socket.send(text: #"{"read":"\#(thread)"}"#)
    }

    /// The pages of `thread` as its view loads them while somebody scrolls up: each before the oldest date so far.
    func scrollToTheTop(of thread: String) async throws -> [[ClassicMessage]] {
        var pages: [[ClassicMessage]] = []
        var bounds: KeyValuePairs<String, String> = [:]
        while pages.count < 1000 {
            let page = try await user.page(of: thread, bounds)
            let messages = try page.messages.map { try ClassicMessage(parsing: $0.text) }
            pages.append(messages)
            guard !page.isEnd, let oldest = messages.map(\.date).min() else { break }
            bounds = ["before": "\(oldest)"]
        }
        return pages
    }
}
