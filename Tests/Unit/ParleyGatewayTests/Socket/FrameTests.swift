import ParleyGateway
import ParleyModel
import ParleyTestSupport
import Testing

/// The WebSocket protocol itself, as a client meets it.
@Suite(.timeLimit(.minutes(5))) struct FrameTests {
    @Test("a ping is answered with its bytes")
    func ping() async throws {
        try await Node.run { node in
            let socket = try await node.socket(try await node.inside.person("alice"))
            for payload in ["", "x", String(repeating: "y", count: 125)] {
                try await socket.send(frame: SocketFrame(.ping, Array(payload.utf8)))
                #expect(try await socket.nextPong() == Array(payload.utf8))
            }
        }
    }

    @Test(
        "a close is answered by its own code and the end of the connection", arguments: [1000, 1001, 3000, 4999, nil])
    func close(code: Int?) async throws {
        try await Node.run { node in
            let socket = try await node.socket(try await node.inside.person("alice"))
            let payload = code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []
            try await socket.send(frame: SocketFrame(.close, payload))
            #expect(try await socket.closeCode() == code)
            try await node.isEmpty()
        }
    }

    struct Violation: Sendable, CustomTestStringConvertible {
        let what: String
        let bytes: [UInt8]
        let code: Int
        var testDescription: String { what }
    }

    static let violations = [
        Violation(what: "a binary frame", bytes: SocketFrame(.binary, [1]).bytes(), code: 1003),
        Violation(what: "bad UTF-8", bytes: SocketFrame(.text, [0xC3, 0x28]).bytes(), code: 1007),
        Violation(
            what: "a frame that is too large", bytes: SocketFrame(.text, [UInt8](repeating: 97, count: 65_537)).bytes(),
            code: 1009),
        Violation(
            what: "a length that is too large", bytes: SocketFrame(.text, []).bytes(claimedLength: 1 << 40), code: 1009),
        Violation(
            what: "a message that is too large",
            bytes: SocketFrame(.text, [UInt8](repeating: 97, count: 40_000), isFinal: false).bytes()
                + SocketFrame(.continuation, [UInt8](repeating: 97, count: 40_000)).bytes(), code: 1009),
        Violation(what: "no mask", bytes: SocketFrame(.text, [97]).bytes(mask: nil), code: 1002),
        Violation(what: "a continuation of nothing", bytes: SocketFrame(.continuation, [97]).bytes(), code: 1002),
        Violation(what: "a reserved bit", bytes: [0xC1, 0x80, 0, 0, 0, 0], code: 1002),
        Violation(what: "an unknown opcode", bytes: [0x83, 0x80, 0, 0, 0, 0], code: 1002),
        Violation(what: "a bad close code", bytes: SocketFrame(.close, [0x03, 0xEE]).bytes(), code: 1002),
    ]

    @Test("a violation ends the socket with its code, though the client goes on sending", arguments: violations)
    func violation(_ violation: Violation) async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            let more = [UInt8](repeating: 0x81, count: 200_000)
            for _ in 1...5 {
                let socket = try await node.socket(alice)
                async let sent: Void = socket.send(raw: violation.bytes + more)
                #expect(try await socket.closeCode() == violation.code)
                try? await sent
            }
            try await node.isEmpty()
            #expect(
                node.inside.counted("parley_sockets_closed_total", [("code", "\(violation.code)")]) == 5)
        }
    }

    @Test("frames may be cut anywhere")
    func everyCut() async throws {
        try await Node.run({ $0.limits.sendsPerSecond = 0 }) { node in
            let alice = try await node.inside.person("alice")
            let room = try await node.inside.room("one", [alice])
            let socket = try await node.socket(alice)
            try await socket.stopAnsweringPings()
            let text = String(repeating: "é", count: 100)
            let payload = Array(#"{"message":{"id":"\#(room.id)","text":"\#(text)"}}"#.utf8)
            let bytes =
                SocketFrame(.text, Array(payload.prefix(30)), isFinal: false).bytes()
                + SocketFrame(.ping, [1, 2]).bytes() + SocketFrame(.continuation, Array(payload.dropFirst(30))).bytes()
            for cut in bytes.indices {
                try await socket.send(raw: Array(bytes[..<cut]))
                try await socket.send(raw: Array(bytes[cut...]))
                #expect(try await socket.nextText() == text)
            }
            for byte in bytes { try await socket.send(raw: [byte]) }
            #expect(try await socket.nextText() == text)
        }
    }

    @Test("messages are compressed both ways when that was negotiated")
    func compression() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            let room = try await node.inside.room("one", [alice])
            let (plain, deflated) = (
                try await node.socket(alice), try await node.socket(alice, offersCompression: true)
            )
            let text = String(repeating: "hello ", count: 500)
            var frame = SocketFrame(
                .text, try Deflate.compress(Array(#"{"message":{"id":"\#(room.id)","text":"\#(text)"}}"#.utf8)))
            frame.isCompressed = true
            try await deflated.send(frame: frame)
            #expect(try await plain.nextText() == text)
            #expect(try await deflated.nextText() == text)
            try await plain.send(frame: frame)
            #expect(try await plain.closeCode() == 1002)
            // 4 MiB of nothing in a small frame.
            var bomb = SocketFrame(.text, try Deflate.compress([UInt8](repeating: 32, count: 4 << 20)))
            bomb.isCompressed = true
            try await deflated.send(frame: bomb)
            #expect(try await deflated.closeCode() == 1009)
            try await node.isEmpty()
        }
    }

    @Test("a client that says it will send no more is closed, and one that resets is forgotten")
    func abruptEnds() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            for index in 0..<20 {
                let connection = try await node.connection()
                try await connection.send(node.handshake(alice))
                _ = try await connection.read()
                if index % 2 == 0 {
                    try await connection.finishSending()
                    _ = try await connection.readToEnd()
                } else {
                    try await connection.reset()
                }
            }
            try await node.isEmpty()
        }
    }
}
