import ParleyGateway
import ParleyModel
import ParleyTestSupport
import Testing

/// Requests for other paths than the WebSocket endpoint reach the HTTP router unchanged.
@Suite(.timeLimit(.minutes(5))) struct PassThroughTests {
    private func request(_ target: String, _ more: String = "", body: String = "") -> String {
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        return "\(body.isEmpty ? "GET" : "POST") \(target) HTTP/1.1\r\nHost: x\r\n\(length)\(more)\r\n\(body)"
    }

    @Test("requests follow each other on one connection, with and without a body")
    func keepAlive() async throws {
        try await Node.run { node in
            let connection = try await node.connection()
            for (target, body) in [("/one", ""), ("/two", "hello"), ("/three", ""), ("/chatter", "x")] {
                try await connection.send(request(target, body: body))
                let reply = try await HTTPClient.readReply(from: connection)
                #expect(reply.status == 200)
                #expect(reply.text == "\(body.isEmpty ? "GET" : "POST") \(target) \(body)")
            }
        }
    }

    @Test("pipelined requests are answered in their order")
    func pipelining() async throws {
        try await Node.run { node in
            let connection = try await node.connection()
            let targets = (1...20).map { "/\($0)" }
            try await connection.send(targets.map { request($0, body: "b") }.joined())
            var parser = HTTPReplyParser()
            var responses: [String] = []
            while responses.count < targets.count, let chunk = try await connection.read() {
                var step = try parser.feed(chunk)
                while case .complete(let reply, let rest) = step {
                    responses.append(reply.text)
                    parser = HTTPReplyParser()
                    step = try parser.feed(rest)
                }
            }
            #expect(responses == targets.map { "POST \($0) b" })
        }
    }

    @Test("an offer of HTTP/2 is passed over, and the connection goes on", arguments: ["", "data"])
    func h2c(body: String) async throws {
        try await Node.run { node in
            let connection = try await node.connection()
            let offer = "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
            for _ in 1...3 {
                try await connection.send(request("/page", offer, body: body))
                let reply = try await HTTPClient.readReply(from: connection)
                #expect(reply.text == "\(body.isEmpty ? "GET" : "POST") /page \(body)")
            }
            try await connection.send(request("/plain"))
            #expect(try await HTTPClient.readReply(from: connection).text == "GET /plain ")
        }
    }

    @Test("offers of HTTP/2 and what comes in one packet with them are all answered")
    func pipelinedH2c() async throws {
        try await Node.run { node in
            let connection = try await node.connection()
            let offer = request("/a", "Upgrade: h2c\r\nConnection: Upgrade\r\n")
            try await connection.send(offer + offer + request("/b", "Connection: close\r\n"))
            let text = String(decoding: try await connection.readToEnd(), as: UTF8.self)
            #expect(text.split(separator: "GET /a ", omittingEmptySubsequences: false).count == 3)
            #expect(text.hasSuffix("GET /b "))
        }
    }

    /// Proxies use connections again for whatever comes next.
    @Test("a socket may be opened on a connection that has carried requests")
    func upgradeAfterRequests() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            let room = try await node.inside.room("one", [alice])
            let proxy = try await node.connection()
            for _ in 1...2 {
                try await proxy.send(request("/before", body: "x"))
                #expect(try await HTTPClient.readReply(from: proxy).status == 200)
            }
            let frame = SocketFrame(.text, Array(#"{"message":{"id":"\#(room.id)","text":"hi"}}"#.utf8)).bytes()
            try await proxy.send(Array(node.handshake(alice).utf8) + frame)
            var bytes: [UInt8] = []
            while !String(decoding: bytes, as: UTF8.self).contains(#""text":"hi""#) {
                bytes += try #require(try await proxy.read())
            }
            #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 101 "))
            #expect(node.inside.gateway.counts.sockets == 1)
            await proxy.close()
            try await node.isEmpty()
        }
    }

    /// A client may also have the whole of an answer before the server knows that it is at its end.
    @Test("a handshake behind a request that is not answered yet waits for that answer", arguments: [true, false])
    func upgradeBehindRequest(isWanted: Bool) async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            let connection = try await node.connection()
            let second = isWanted ? node.handshake(alice) : request("/chat")
            try await connection.send(request("/one") + request("/two", body: "x") + second)
            var bytes: [UInt8] = []
            for response in ["GET /one ", "POST /two x", isWanted ? "HTTP/1.1 101 " : "HTTP/1.1 426 "] {
                while !String(decoding: bytes, as: UTF8.self).contains(response) {
                    bytes += try #require(try await connection.read())
                }
            }
            if isWanted {
                try #require(try await eventually { node.inside.gateway.counts.sockets == 1 }, "the socket")
                await connection.close()
            } else {
                _ = try await connection.readToEnd()
            }
            try await node.isEmpty()
        }
    }

    @Test("a refusal on a connection that has carried requests ends it")
    func refusalAfterRequests() async throws {
        try await Node.run { node in
            let connection = try await node.connection()
            try await connection.send(request("/before"))
            #expect(try await HTTPClient.readReply(from: connection).status == 200)
            try await connection.send(request("/chat"))
            #expect(try await HTTPClient.readReply(from: connection).status == 426)
            #expect(try await connection.readToEnd().isEmpty)
            try await node.isEmpty()
        }
    }

    @Test("other paths are the router's, whatever they ask for")
    func otherPaths() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            for path in ["/missing", "/chat/x", "/chats", "/CHAT", "//chat"] {
                let opening = try await TestSocket.open(port: node.port, path: path, headers: alice.cookie)
                #expect(opening.status == (path == "/missing" ? 404 : 200), "\(path)")
            }
            #expect(node.inside.gateway.counts.sockets == 0)
        }
    }
}
