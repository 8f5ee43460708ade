import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// What a stranger can send without credentials, to the public port and to that of the ops endpoints.
    @Suite struct StrangeRequestTests {
        @Test("an offer of another protocol, and a second request in the same packet, are both answered")
        func offers() async throws {
            let opsPort = FreePort.next()
            let parley = try await ParleyProcess.start(arguments: ["--ops-port", "\(opsPort)"])
            let fields = ["Upgrade: x", "Upgrade: h2c\r\nConnection: Upgrade", "Upgrade: x\r\nConnection: keep-alive"]
            for port in [parley.port, opsPort] {
                for field in fields {
                    let connection = try await RawConnection.connect(port: port)
                    try await connection.send(
                        "GET /healthz HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n"
                            + "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                    let replies = String(decoding: try await connection.readToEnd(), as: UTF8.self)
                    #expect(replies.split(separator: "HTTP/1.1 200 OK").count == 2, "\(port): \(field)")
                }
            }
            #expect(try await parley.terminate() == .exited(0))
        }

        @Test("a request whose host is not clear is 400 on every port; HTTP/1.0 needs none")
        func hosts() async throws {
            let opsPort = FreePort.next()
            let parley = try await ParleyProcess.start(arguments: ["--ops-port", "\(opsPort)"])
            for port in [parley.port, opsPort] {
                for (head, status) in [
                    ("GET /healthz HTTP/1.1\r\n", 400), ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n", 400),
                    ("GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n", 400), ("GET /healthz HTTP/1.0\r\n", 200),
                    ("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n", 400), ("GET /healthz HTTP/1.1\r\nHost: a\r\n", 200),
                    ("GET /healthz HTTP/1.1\r\nHost: a b\r\n", 400), ("GET /healthz HTTP/1.1\r\nHost: a, b\r\n", 400),
                    ("GET /healthz HTTP/1.1\r\nHost: ann@a\r\n", 400), ("GET /healthz HTTP/1.1\r\nHost: a/b\r\n", 400),
                    ("GET /healthz HTTP/1.1\r\nHost: [::1]:80\r\n", 200), ("GET /healthz HTTP/1.1\r\nHost:\r\n", 200),
                ] {
                    let connection = try await RawConnection.connect(port: port)
                    try await connection.send(head + "\r\n")
                    #expect(try await HTTPClient.readReply(from: connection).status == status, "\(port): \(head)")
                }
            }
            #expect(try await parley.terminate() == .exited(0))
        }

        @Test("a body whose end a proxy could see elsewhere is 400 on every port, and the connection is closed")
        func codings() async throws {
            let opsPort = FreePort.next()
            let parley = try await ParleyProcess.start(arguments: ["--ops-port", "\(opsPort)"])
            for port in [parley.port, opsPort] {
                for field in [
                    "HTTP/1.1\r\nTransfer-Encoding: gzip", "HTTP/1.1\r\nTransfer-Encoding: xchunked",
                    "HTTP/1.1\r\nTransfer-Encoding: gzip, chunked",
                    "HTTP/1.1\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
                    "HTTP/1.0\r\nTransfer-Encoding: chunked",
                ] {
                    let connection = try await RawConnection.connect(port: port)
                    try await connection.send(
                        "POST /nothing \(field)\r\nHost: a\r\n\r\n0\r\n\r\n"
                            + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                    let replies = String(decoding: try await connection.readToEnd(), as: UTF8.self)
                    #expect(replies.hasPrefix("HTTP/1.1 400 "), "\(port): \(field)")
                    #expect(replies.split(separator: "HTTP/1.1 ").count == 1, "\(port): \(field)")
                }
            }
            #expect(try await parley.terminate() == .exited(0))
        }

        @Test("a client that waits for 100 before its body gets it, on every port that has bodies")
        func continues() async throws {
            let parley = try await ParleyProcess.start()
            let connection = try await RawConnection.connect(port: parley.port)
            for _ in 1...2 {
                try await connection.send(
                    "POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                        + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n")
                #expect(try await HTTPClient.readReply(from: connection).status == 100)
                try await connection.send("{}")
                #expect(try await HTTPClient.readReply(from: connection).status == 400)
            }
            #expect(try await parley.terminate() == .exited(0))
        }

        @Test("HTTP/1.0 and Connection: close end the connection, whatever protocol is offered besides")
        func ends() async throws {
            let parley = try await ParleyProcess.start()
            for head in [
                "HTTP/1.0\r\nUpgrade: h2c", "HTTP/1.0\r\nUpgrade: websocket\r\nConnection: upgrade",
                "HTTP/1.1\r\nUpgrade: h2c\r\nConnection: close, upgrade",
                "HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Close",
            ] {
                let connection = try await RawConnection.connect(port: parley.port)
                try await connection.send("GET /healthz \(head)\r\nHost: a\r\n\r\n")
                let reply = String(decoding: try await connection.readToEnd(), as: UTF8.self)
                #expect(reply.hasPrefix("HTTP/1.1 200 "), "\(head)")
            }
            #expect(try await parley.terminate() == .exited(0))
        }

        @Test("white space behind the value of a field is no part of it, on every port")
        func whiteSpace() async throws {
            let opsPort = FreePort.next()
            let parley = try await ParleyProcess.start(arguments: ["--ops-port", "\(opsPort)"])
            for port in [parley.port, opsPort] {
                let connection = try await RawConnection.connect(port: port)
                try await connection.send(
                    "POST /nothing HTTP/1.1\r\nHost:\ta\t \r\nTransfer-Encoding: chunked \r\n\r\n0\r\n\r\n"
                        + "GET /healthz HTTP/1.1\r\nHost: \r\nConnection: close \r\n\r\n")
                let replies = String(decoding: try await connection.readToEnd(), as: UTF8.self)
                #expect(replies.hasPrefix("HTTP/1.1 404 "), "\(port)")
                #expect(replies.split(separator: "HTTP/1.1 200 ").count == 2, "\(port)")
            }
            #expect(try await parley.terminate() == .exited(0))
        }

        @Test(
            "a refused HEAD request gets no body",
            arguments: ["/healthz HTTP/1.1\r\nHost: a b", "/chat HTTP/1.1\r\nHost: a"])
        func refusedHead(head: String) async throws {
            let parley = try await ParleyProcess.start()
            let connection = try await RawConnection.connect(port: parley.port)
            try await connection.send("HEAD \(head)\r\n\r\n")
            let reply = String(decoding: try await connection.readToEnd(), as: UTF8.self)
            #expect(reply.hasPrefix("HTTP/1.1 40") && reply.utf8.suffix(4).elementsEqual("\r\n\r\n".utf8))
            #expect(try await parley.terminate() == .exited(0))
        }
    }
}
