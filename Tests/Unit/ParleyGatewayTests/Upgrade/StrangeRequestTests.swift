import Foundation
import NIOCore
import ParleyGateway
import ParleyTestSupport
import Testing

/// A request of a small grammar around offers of other protocols, and what comes in one packet with it.
private struct StrangeRequest: Sendable, CustomStringConvertible {
    enum Body: CaseIterable, Sendable {
        case none, counted, chunked

        var text: String { self == .none ? "" : "abc" }

        /// The rest of the head, and the body.
        var bytes: String {
            switch self {
            case .none: "\r\n"
            case .counted: "Content-Length: 3\r\n\r\nabc"
            case .chunked: "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            }
        }
    }

    enum Second: String, CaseIterable, Sendable {
        case nothing = ""
        case request = "GET /b HTTP/1.1\r\nHost: x\r\nCookie: sessionid=secret\r\nConnection: close\r\n\r\n"
        case part = "GET /b HT"
        case garbage = "hello\r\n\r\n"
    }

    let method: String
    let path: String
    let upgrade: [String]
    let connection: [String]
    let body: Body
    let second: Second

    static let all: [StrangeRequest] = ["GET", "POST", "CONNECT"].flatMap { method in
        ["/page", "/chat"].flatMap { path in
            [[], ["x"], ["h2c"], ["websocket"], ["h2c", "websocket"], [""]].flatMap { upgrade in
                [
                    [], ["Upgrade"], ["close"], ["close, upgrade"], ["keep-alive, Upgrade"], ["upgradex"],
                    ["keep-alive", "upgrade"], ["Upgrade, HTTP2-Settings"],
                ].flatMap { connection in
                    Body.allCases.flatMap { body in
                        Second.allCases.map { second in
                            StrangeRequest(
                                method: method, path: path, upgrade: upgrade, connection: connection, body: body,
                                second: second)
                        }
                    }
                }
            }
        }
    }

    var text: String {
        let fields = upgrade.map { "Upgrade: \($0)\r\n" } + connection.map { "Connection: \($0)\r\n" }
        return "\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(fields.joined())\(body.bytes)\(second.rawValue)"
    }

    var description: String { text.debugDescription }

    private var isClosing: Bool { connection.contains { $0.hasPrefix("close") } }

    /// Sends the request in portions, and checks the responses.
    func check(_ node: Node, portion: Int) async throws {
        let connection = try await node.connection()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: portion) {
            // The node may have closed after a refusal.
            try? await connection.send(Array(bytes[start..<min(start + portion, bytes.count)]))
        }
        let reply = try await HTTPClient.readReply(from: connection)
        if method == "CONNECT" {
            #expect(reply.status == 400, "\(self)")
        } else if path == "/chat" {
            #expect((400..<500).contains(reply.status), "\(self)")
        } else {
            #expect(reply.status == 200, "\(self)")
            #expect(reply.text == "\(method) /page \(body.text)", "\(self)")
        }
        await connection.close()
    }

    /// Sends the request in one packet with the next, and checks that both are answered.
    func checkBoth(_ node: Node) async throws {
        guard second == .request, path == "/page", method != "CONNECT", !isClosing else { return }
        let connection = try await node.connection()
        try await connection.send(text)
        let replies = String(decoding: try await connection.readToEnd(), as: UTF8.self)
        #expect(replies.contains("\(method) /page \(body.text)HTTP/1.1 200 OK"), "\(self)")
        #expect(replies.hasSuffix("GET /b "), "\(self)")
    }
}

@Suite("Requests of strangers", .timeLimit(.minutes(10))) struct StrangeRequestTests {
    /// Performs the checks on one node, some at the same time, and then asks it as any client does.
    private func check(
        _ requests: [StrangeRequest], _ check: @escaping @Sendable (StrangeRequest, Node) async throws -> Void
    ) async throws {
        // On a busy machine it may take long to send a request byte by byte.
        try await Node.run({ $0.handshakeTimeout = .seconds(600) }) { node in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for (index, request) in requests.enumerated() {
                    if index >= 16 { try await tasks.next() }
                    tasks.addTask { try await check(request, node) }
                }
                try await tasks.waitForAll()
            }
            #expect(try await HTTPClient(port: node.port).get("/after").text == "GET /after ")
            try await node.isEmpty()
        }
    }

    @Test("each is answered, whatever it offers and whatever comes in one packet with it")
    func inOnePacket() async throws {
        try await check(StrangeRequest.all) { try await $0.check($1, portion: .max) }
    }

    @Test("a request behind an offer that is not accepted is answered too")
    func both() async throws {
        try await check(StrangeRequest.all) { try await $0.checkBoth($1) }
    }

    @Test("each is answered byte by byte, and in portions", arguments: [1, 7, 60])
    func inPortions(portion: Int) async throws {
        let some = StrangeRequest.all.enumerated().filter { $0.offset % 37 == portion % 37 }.map(\.element)
        try await check(some) { try await $0.check($1, portion: portion) }
    }

    /// The parser has not stopped behind such a request, and has read the next as HTTP.
    @Test("an Upgrade field that Connection does not list ends no process, with a second request in the same packet")
    func unlistedUpgrade() async throws {
        let text = "GET /healthz HTTP/1.1\r\nHost: x\r\nUpgrade: x\r\n\r\n"
        try await Node.run { node in
            let connection = try await node.connection()
            try await connection.send(
                text + "GET /b HTTP/1.1\r\nHost: x\r\nCookie: sessionid=s\r\nConnection: close\r\n\r\n")
            let replies = String(decoding: try await connection.readToEnd(), as: UTF8.self)
            #expect(replies.contains("GET /healthz "))
            #expect(replies.hasSuffix("GET /b "))
        }
    }

    @Test("a node that is shut down in the midst of offers ends")
    func shutDown() async throws {
        try await Node.run { node in
            let offer = "GET /a HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for count in 1...50 {
                    let connection = try await node.connection()
                    tasks.addTask {
                        for _ in 1...count {
                            do { try await connection.send(offer + offer.prefix(count)) } catch { return }
                            guard (try? await connection.read()) != nil else { return }
                        }
                        await connection.close()
                    }
                }
                await node.shutDown()
                try await tasks.waitForAll()
            }
            await node.inside.gateway.connectionsClosed()
        }
    }
}

/// RFC 9112 §3.2: a server must refuse a request whose host is not clear.
@Suite("The header Host", .timeLimit(.minutes(5))) struct HostTests {
    @Test("more than one, or none in HTTP/1.1, is 400", arguments: ["/page", "/chat", "/v1/socket?ticket=x"])
    func refused(path: String) async throws {
        try await Node.run { node in
            for fields in ["", "Host: a\r\nHost: a\r\n", "Host: a\r\nX: y\r\nhost: b\r\n", "Hosts: a\r\n"] {
                for more in ["", "Upgrade: websocket\r\nConnection: Upgrade\r\n"] {
                    let connection = try await node.connection()
                    try await connection.send("GET \(path) HTTP/1.1\r\n\(fields)\(more)\r\n")
                    let reply = String(decoding: try await connection.readToEnd(), as: UTF8.self)
                    #expect(reply.hasPrefix("HTTP/1.1 400 "), "\(fields)")
                    #expect(reply.contains(#"{"error":{"code":"bad_request","message":"#), "\(fields)")
                }
            }
            try await node.isEmpty()
        }
    }

    @Test("HTTP/1.0 needs none, and may not have two")
    func old() async throws {
        try await Node.run { node in
            for (fields, status) in [("", 200), ("Host: a\r\n", 200), ("Host: a\r\nHost: b\r\n", 400)] {
                let connection = try await node.connection()
                try await connection.send("GET /page HTTP/1.0\r\n\(fields)\r\n")
                #expect(try await HTTPClient.readReply(from: connection).status == status)
            }
        }
    }

    @Test(
        "a connection ends behind the last request that its client announces, with one response",
        arguments: [
            "GET /a HTTP/1.0\r\n\r\n", "GET /a HTTP/1.0\r\nConnection: x\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            // NIO's parser does not recognise these two, and reads on.
            "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\t\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: x\r\nConnection: Close \r\nUpgrade: h2c\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: x\r\nConnection: x\r\nConnection: close\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: x\r\nConnection: keep, Close\r\n\r\n",
        ])
    func last(request: String) async throws {
        try await Node.run { node in
            // The client has said that nothing follows: what does is ignored, also if it would be refused (§9.6).
            for rest in [
                "", "GET /b HTTP/1.1\r\nHost: x\r\n\r\n", "GET /b HTTP/1.1\r\n\r\n",
                "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /b HTTP/1.1\r\nHost: a b\r\n\r\n", "hello\r\n\r\n", "GET /chat HTTP/1.1\r\nHost: x\r\n\r\n",
                "POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
            ] {
                let connection = try await node.connection()
                try await connection.send(request + rest)
                let replies = String(decoding: try await connection.readToEnd(), as: UTF8.self)
                #expect(replies.components(separatedBy: "HTTP/1.1 ").count == 2, "\(replies)")
                #expect(replies.contains("GET /a "), "\(replies)")
                await connection.close()
            }
            try await node.isEmpty()
        }
    }

    @Test(
        "a request for a socket gets one response behind earlier ones, though something malformed follows or is in it",
        arguments: [
            "\r\nhello\r\n\r\n", "\r\nPOST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: x, chunked\r\n\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\nx\r\n",
            "\r\n\r\n\u{16}\u{3}\u{1}",
        ])
    func socketBehind(rest: String) async throws {
        try await Node.run { node in
            let connection = try await node.connection()
            try await connection.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /chat HTTP/1.1\r\nHost: x\r\n" + rest)
            let replies = String(decoding: try await connection.readToEnd(), as: UTF8.self)
            #expect(replies.components(separatedBy: "HTTP/1.1 ").count == 3, "\(replies)")
            // The gate's own, not that of the HTTP handlers.
            let status = rest.hasPrefix("\r\n") ? "426" : "400"
            #expect(replies.contains("GET /a HTTP/1.1 \(status) "), "\(replies)")
            #expect(replies.contains(#"{"error":{"code":"bad_request","#), "\(replies)")
            await connection.close()
            try await node.isEmpty()
        }
    }

    @Test("a refusal waits for the responses to earlier requests, and ends the connection")
    func behind() async throws {
        try await Node.run { node in
            let connection = try await node.connection()
            let first = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
            try await connection.send(first + first + "GET /b HTTP/1.1\r\n\r\n" + first)
            let replies = String(decoding: try await connection.readToEnd(), as: UTF8.self)
            #expect(replies.split(separator: "GET /a ", omittingEmptySubsequences: false).count == 3)
            #expect(replies.components(separatedBy: "HTTP/1.1 400 ").count == 2)
            #expect(!replies.contains("GET /b"))
            #expect(replies.hasSuffix("}}"))
            await connection.close()
            try await node.isEmpty()
        }
    }
}
