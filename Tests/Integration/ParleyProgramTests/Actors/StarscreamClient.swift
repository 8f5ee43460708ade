import ParleyTestSupport

/// Opens sockets as Starscream 4 does: an `Origin` of the server's own scheme, host and port, the subprotocol, and an
/// offer of compression in its own words.
struct StarscreamClient {
    let user: TestUser
    let socket: TestSocket

    static func start(_ user: TestUser) async throws -> StarscreamClient {
        let port = user.http.port
        let headers: HTTPClient.Headers = [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Protocol", "parley.direct"), ("Origin", "http://127.0.0.1:\(port)"),
            ("Host", "127.0.0.1:\(port)"),
            (
                "Sec-WebSocket-Extensions",
                "permessage-deflate; client_max_window_bits; server_max_window_bits=15"
            ), ("Cookie", "sessionid=\(user.sessionToken)"),
        ]
        return StarscreamClient(
            user: user, socket: try await TestSocket.connect(port: port, path: "/connect", headers: headers))
    }

    func send(_ text: String, to name: String) async throws {
        try await socket.send(text: #"{"toUser":"\#(name)","message":\#(JSONValue.string(text).text)}"#)
    }
}
