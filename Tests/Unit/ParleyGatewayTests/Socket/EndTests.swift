import NIOCore
import ParleyGateway
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Testing

/// Ends that the server decides on.
@Suite(.timeLimit(.minutes(5))) struct EndTests {
    @Test("a revoked session closes its sockets and no others")
    func revoked() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            let again = try await node.inside.session(of: alice.user)
            let gone = [try await node.socket(alice), try await node.socket(alice, "parley.direct")]
            let stays = try await node.socket(again)
            node.inside.bus.publish(.sessionRevoked(alice.tokenHash), to: alice.user.id)
            for socket in gone { #expect(try await socket.closeCode() == 4001) }
            try await stays.send(frame: SocketFrame(.ping, [7]))
            #expect(try await stays.nextPong() == [7])
            try #require(try await eventually { node.inside.gateway.counts.sockets == 1 }, "one socket")
        }
    }

    @Test("credentials that expire close their sockets with 4100 at once, and not at the next ping")
    func expired() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            let cache = try await node.inside.session(of: alice.user, expires: 1_800_000_000_000 + 2000)
            let stays = try await node.socket(alice)
            var gone: [TestSocket] = []
            // Of so many one or the other would have its ping later than any of them may end.
            for _ in 0..<20 { gone.append(try await node.socket(cache)) }
            let start = ContinuousClock.now
            node.inside.clock.advance(milliseconds: 2000)
            for socket in gone { #expect(try await socket.closeCode() == 4100) }
            #expect(start.duration(to: .now) < .seconds(10) + .leeway)
            try await stays.send(frame: SocketFrame(.ping, [7]))
            #expect(try await stays.nextPong() == [7])
        }
    }

    @Test("a shutdown closes all sockets with 1001 within the window, and lets them go")
    func drain() async throws {
        try await Node.run({ $0.drainWindow = .seconds(1) }) { node in
            var sockets: [TestSocket] = []
            for index in 0..<30 { sockets.append(try await node.socket(try await node.inside.person("p\(index)"))) }
            let start = ContinuousClock.now
            await node.shutDown()
            for socket in sockets { #expect(try await socket.closeCode() == 1001) }
            #expect(start.duration(to: .now) < .seconds(10) + .leeway)
            try await node.isEmpty()
            #expect(node.inside.counted("parley_sockets_closed_total", [("code", "1001")]) == 30)
        }
    }

    @Test("a shutdown while a handshake is being decided refuses it, one half sent is closed, a request is answered")
    func drainWhileDeciding() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            let idle = try await node.connection()
            let half = try await node.connection()
            try await half.send("GET /chat HT")
            let kept = try await node.connection()
            try await kept.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await HTTPClient.readReply(from: kept).status == 200)
            node.inside.directory.gate.shut()
            async let opening = TestSocket.open(port: node.port, headers: alice.cookie)
            try await node.inside.directory.gate.arrival()
            await node.shutDown()
            for connection in [idle, half, kept] { #expect(try await connection.readToEnd().isEmpty) }
            node.inside.directory.gate.open()
            #expect(try await opening.status == 503)
            try await node.isEmpty()
        }
    }

    @Test("thousands of sockets that come and go leave nothing")
    func churn() async throws {
        try await Node.run { node in
            let people = try await withThrowingTaskGroup(of: Person.self) { group in
                for index in 0..<50 { group.addTask { try await node.inside.person("p\(index)") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let room = try await node.inside.room("one", people)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in people {
                    group.addTask {
                        for round in 0..<20 {
                            let socket = try await node.socket(person, offersCompression: round % 2 == 0)
                            if round % 3 == 0 { try await socket.say("hi", in: room.id.text) }
                            switch round % 4 {
                            case 0: try await socket.close()
                            case 1: await socket.drop()
                            case 2: try? await socket.send(frame: SocketFrame(.binary, []))
                            default: break
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await node.isEmpty()
        }
    }
}
