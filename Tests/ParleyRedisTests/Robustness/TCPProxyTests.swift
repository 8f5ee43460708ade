import ParleyTestSupport
import Testing

/// What the tests of cuts stand on must not cut by itself.
@Suite("A proxy on a line that is well", .timeLimit(.minutes(5)))
struct TCPProxyTests {
    @Test("each of many connections, made at once, reaches the server and hears from it")
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
