import ParleyAccounts
import ParleyGateway
import ParleyModel
import ParleyTestSupport
import Testing

/// How a connection becomes a socket, and what becomes of one that does not.
@Suite(.timeLimit(.minutes(5))) struct HandshakeTests {
    @Test(
        "the endpoint has three paths, with and without a slash and a query",
        arguments: [
            "/chat", "/chat/", "/connect", "/connect/", "/v1/socket", "/v1/socket/", "/chat?x=1", "/chat/?ticket",
        ])
    func paths(path: String) async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            #expect(try await TestSocket.open(port: node.port, path: path, headers: alice.cookie).status == 101)
        }
    }

    @Test("the answer is that of RFC 6455 §1.3, with what was negotiated")
    func response() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            let plain = try await node.socket(alice).reply
            #expect(plain.header("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(plain.values("connection").map { $0.lowercased() } == ["upgrade"])
            #expect(plain.values("upgrade").map { $0.lowercased() } == ["websocket"])
            #expect(plain.header("x-request-id")?.isEmpty == false)
            #expect(plain.header("sec-websocket-protocol") == nil)
            #expect(plain.header("sec-websocket-extensions") == nil)
            #expect(plain.header("content-length") == nil && plain.header("transfer-encoding") == nil)
            let chosen = try await node.socket(alice, "mqtt", "parley.direct", offersCompression: true).reply
            #expect(chosen.values("sec-websocket-protocol") == ["parley.direct"])
            let extensions = chosen.values("sec-websocket-extensions")
            #expect(extensions.count == 1)
            #expect(extensions.first?.hasPrefix("permessage-deflate") == true)
            #expect(extensions.first?.contains("server_no_context_takeover") == true)
            #expect(extensions.first?.contains("client_no_context_takeover") == true)
        }
    }

    @Test("every credential of PROTOCOL §1 opens a socket")
    func credentials() async throws {
        try await Node.run(accounts: { $0.apiKeys = try APIKeys(parsing: "test:pk_test") }) { node in
            let alice = try await node.inside.person("alice")
            let offers: [HTTPClient.Headers] = [
                alice.cookie, [("Authorization", "Bearer \(alice.token)")],
                [("Authorization", "Bearer pk_test"), ("X-Parley-User", "alice")],
                alice.cookie + [("Origin", "http://127.0.0.1:\(node.port)")],
            ]
            for headers in offers {
                #expect(try await TestSocket.open(port: node.port, headers: headers).status == 101)
            }
        }
    }

    @Test("the first frames may come in the packet of the handshake, or in pieces around its end")
    func earlyFrames() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            let room = try await node.inside.room("one", [alice])
            let texts = (1...5).map { "early \($0)" }
            let frames = texts.flatMap { text in
                SocketFrame(.text, Array(#"{"message":{"id":"\#(room.id)","text":"\#(text)"}}"#.utf8)).bytes()
            }
            let head = Array(node.handshake(alice).utf8)
            for cut in [head.count + frames.count, head.count, head.count - 1, head.count + 1, head.count + 9, 3] {
                let connection = try await node.connection()
                let all = head + frames
                try await connection.send(Array(all.prefix(cut)))
                if cut < all.count { try await connection.send(Array(all.dropFirst(cut))) }
                var bytes: [UInt8] = []
                while !texts.allSatisfy(String(decoding: bytes, as: UTF8.self).contains) {
                    bytes += try #require(try await connection.read(), "cut at \(cut)")
                }
                await connection.close()
            }
            try await node.isEmpty()
        }
    }

    @Test("frames that come while the decision is pending are kept, but not without bound")
    func floodWhileDeciding() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            node.inside.directory.gate.shut()
            let connection = try await node.connection()
            try await connection.send(node.handshake(alice))
            try await node.inside.directory.gate.arrival()
            let ping = SocketFrame(.ping, Array("here".utf8)).bytes()
            let chunk = Array(repeatElement(ping, count: 6554).joined())
            let ends = Mailbox<Bool>(of: "end of 64 MiB")
            let flood = Task {
                for _ in 0..<1024 { try await connection.send(chunk) }
                ends.put(true)
            }
            // Within this second all of it would be through.
            await #expect(throws: TimedOut.self) { _ = try await ends.take(within: .seconds(1)) }
            node.inside.directory.gate.open()
            let reply = try #require(try await connection.read())
            #expect(String(decoding: reply, as: UTF8.self).hasPrefix("HTTP/1.1 101"))
            try await connection.reset()
            _ = await flood.result
            try await node.isEmpty()
        }
    }

    @Test("a client that vanishes while the decision is pending leaves nothing behind", arguments: [true, false])
    func vanishes(byReset: Bool) async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            for _ in 1...5 {
                node.inside.directory.gate.shut()
                let connection = try await node.connection()
                try await connection.send(node.handshake(alice))
                try await node.inside.directory.gate.arrival()
                if byReset { try await connection.reset() } else { await connection.close() }
                node.inside.directory.gate.open()
                try await node.isEmpty()
            }
            // Reservations and encodings are back too, or the roster would think that alice is still here.
            let socket = try await node.socket(alice)
            await socket.drop()
            try await node.isEmpty()
        }
    }

    @Test(
        "garbage is answered by 400 and closed",
        arguments: [
            "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}", "hello\r\n\r\n", "GET\r\n\r\n", "GET /chat HTTP/9.9\r\n\r\n",
            "GET /chat HTTP/1.1\r\nnonsense\r\n\r\n",
        ])
    func garbage(text: String) async throws {
        try await Node.run { node in
            let connection = try await node.connection()
            try await connection.send(text)
            let response = String(decoding: try await connection.readToEnd(), as: UTF8.self)
            #expect(response.hasPrefix("HTTP/1.1 400 "))
            try await node.isEmpty()
        }
    }

    @Test("a head beyond its bound is 400, whether it is long or many", arguments: [true, false])
    func hugeHead(isLong: Bool) async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            let more =
                isLong
                ? "X-Long: " + String(repeating: "a", count: 100_000) + "\r\n"
                : (1...2000).map { "X-\($0): a\r\n" }.joined()
            let connection = try await node.connection()
            try await connection.send(node.handshake(alice, more))
            let response = String(decoding: try await connection.readToEnd(), as: UTF8.self)
            #expect(response.hasPrefix("HTTP/1.1 400 "))
            try await node.isEmpty()
        }
    }

    @Test("a client that says it will send no more before its request is complete is closed")
    func halfClose() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            for text in ["", "GET /ch", String(node.handshake(alice).dropLast(2))] {
                let connection = try await node.connection()
                if !text.isEmpty { try await connection.send(text) }
                try await connection.finishSending()
                _ = try await connection.readToEnd()
                try await node.isEmpty()
            }
        }
    }

    @Test("connections beyond the bound are closed at once, and room comes back")
    func connectionCap() async throws {
        try await Node.run({
            $0.limits.connections = 2
            // However many sockets are allowed.
            $0.spareConnections = 3
        }) { node in
            var held: [RawConnection] = []
            for _ in 1...3 {
                let connection = try await node.connection()
                try await connection.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try await HTTPClient.readReply(from: connection).status == 200)
                held.append(connection)
            }
            let refused = try await node.connection()
            try? await refused.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await refused.readToEnd().isEmpty)
            await held.removeLast().close()
            try #require(
                try await eventually {
                    let connection = try await node.connection()
                    try? await connection.send("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    return try await connection.readToEnd().count > 0
                }, "room")
            for connection in held { await connection.close() }
            try await node.isEmpty()
        }
    }

    @Test("a thousand half-sent handshakes go when their clients go")
    func halfOpen() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            let text = node.handshake(alice)
            try await withThrowingTaskGroup(of: RawConnection.self) { group in
                for index in 0..<1000 {
                    group.addTask {
                        let connection = try await node.connection()
                        try await connection.send(String(text.prefix(index % text.count)))
                        return connection
                    }
                }
                for try await connection in group { await connection.close() }
            }
            try await node.isEmpty()
        }
    }
}
