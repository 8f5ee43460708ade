import ParleyTestServers
import ParleyTestSupport
import Testing

/// The proxy that the tests of lost connections rely on must lose none by itself.
@Suite("A proxy without faults", .timeLimit(.minutes(5)))
struct TCPProxyTests {
    @Test("each of many concurrent connections reaches the server and gets a reply")
    func passes() async throws {
        let server = try await RedisServer.start()
        let proxy = try await TCPProxy.start(to: server.port)
        for _ in 0..<20 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        let connection = try await RawConnection.connect(port: proxy.port)
                        try await connection.send("PING\r\n")
                        #expect(try await connection.read() == Array("+PONG\r\n".utf8))
                        await connection.close()
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
