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
            #expect(try await parley.terminate(within: .seconds(15)) == .exited(0))
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
                ] {
                    let connection = try await RawConnection.connect(port: port)
                    try await connection.send(head + "\r\n")
                    #expect(try await HTTPClient.readReply(from: connection).status == status, "\(port): \(head)")
                }
            }
            #expect(try await parley.terminate(within: .seconds(15)) == .exited(0))
        }
    }
}
