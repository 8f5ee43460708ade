import NIOCore
import ParleyGateway
import ParleyModel
import ParleyTestSupport
import Testing

/// The bytes that wait for a socket that does not read are bounded, and other sockets are not affected.
@Suite(.timeLimit(.minutes(5))) struct SlowReaderTests {
    @Test("a socket that stops reading is closed, the others get everything")
    func fanOut() async throws {
        // The client reads on only after all is sent, which on a busy machine takes longer than a farewell may.
        let adjust: (inout GatewaySettings) -> Void = {
            $0.limits.sendsPerSecond = 0
            $0.closeTimeout = .minutes(4)
        }
        try await Node.run(adjust) { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let room = try await node.inside.room("one", [alice, bob])
            let (slow, brisk) = (try await node.socket(bob), try await node.socket(alice))
            try await slow.setReading(false)
            let text = String(repeating: "x", count: 4000)
            // The kernel takes a few MiB before anything waits in the gateway.
            for index in 0..<3000 {
                try await brisk.say("\(index) \(text)", in: room.id.text)
                #expect(try await brisk.nextText()?.hasPrefix("\(index) ") == true)
            }
            #expect(node.inside.counted("parley_slow_sockets_total") == 1)
            try await slow.setReading(true)
            // Its kernel still had all that came before, and at the end stands why.
            #expect(try await slow.closeCode() == 4300)
            #expect(slow.received.count < 3000)
            try await brisk.close()
            try await node.isEmpty()
        }
    }

    @Test("answers to a client that does not read are bounded too")
    func pongs() async throws {
        try await Node.run { node in
            let socket = try await node.socket(try await node.inside.person("alice"))
            try await socket.setReading(false)
            let ping = SocketFrame(.ping, [UInt8](repeating: 120, count: 125)).bytes()
            let chunk = Array(repeatElement(ping, count: 1000).joined())
            // 130 MB of pongs; the kernel takes a few of them.
            let flood = Task { for _ in 0..<1000 { try await socket.send(raw: chunk) } }
            try #require(try await eventually { node.inside.counted("parley_slow_sockets_total") == 1 }, "cut")
            await socket.drop()
            _ = await flood.result
            try await node.isEmpty()
        }
    }

    @Test("a closed socket's client may send on, and its bytes are thrown away")
    func floodAfterClose() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            let connection = try await node.connection()
            try await connection.send(node.handshake(alice))
            _ = try await connection.read()
            try await connection.setReading(false)
            try await connection.send(SocketFrame(.binary, [1]).bytes())
            let chunk = [UInt8](repeating: 0x81, count: 1 << 20)
            let flood = Task { for _ in 0..<256 { try await connection.send(chunk) } }
            _ = await flood.result
            await connection.close()
            try await node.isEmpty()
        }
    }
}
