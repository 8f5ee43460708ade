import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// What strangers and broken clients send: a clear end or a counted drop, and nobody else notices.
    @Suite struct BadInputTests {
        /// Bytes that end a connection, and the close code that they get.
        struct Breach: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let code: Int
            let bytes: [UInt8]
        }

        static let breaches: [Breach] = [
            Breach(testDescription: "binary frame", code: 1003, bytes: SocketFrame(.binary, [1, 2, 3]).bytes()),
            Breach(
                testDescription: "bad UTF-8", code: 1007, bytes: SocketFrame(.text, [0x22, 0xC3, 0x28, 0x22]).bytes()),
            Breach(
                testDescription: "UTF-8 that stops in a character", code: 1007,
                bytes: SocketFrame(.text, [0x22, 0xE2, 0x82]).bytes()),
            Breach(
                testDescription: "a surrogate in UTF-8", code: 1007,
                bytes: SocketFrame(.text, [0xED, 0xA0, 0x80]).bytes()),
            Breach(
                testDescription: "a frame over 65,536 bytes", code: 1009,
                bytes: SocketFrame(.text, [UInt8](repeating: 0x20, count: 65_537)).bytes()),
            Breach(
                testDescription: "a frame that claims 4 EiB", code: 1009,
                bytes: SocketFrame(.text, []).bytes(claimedLength: 1 << 62)),
            Breach(
                testDescription: "a message over 65,536 bytes in fragments", code: 1009,
                bytes: SocketFrame(.text, [UInt8](repeating: 0x20, count: 40_000), isFinal: false).bytes()
                    + SocketFrame(.continuation, [UInt8](repeating: 0x20, count: 40_000)).bytes()),
            Breach(
                testDescription: "unmasked frame", code: 1002,
                bytes: SocketFrame(.text, Array("{}".utf8)).bytes(mask: nil)),
            Breach(testDescription: "reserved bit", code: 1002, bytes: [0xA1, 0x80, 0, 0, 0, 0]),
            Breach(testDescription: "compressed without agreement", code: 1002, bytes: [0xC1, 0x80, 0, 0, 0, 0]),
            Breach(testDescription: "reserved opcode", code: 1002, bytes: [0x83, 0x80, 0, 0, 0, 0]),
            Breach(testDescription: "reserved control opcode", code: 1002, bytes: [0x8B, 0x80, 0, 0, 0, 0]),
            Breach(
                testDescription: "fragmented ping", code: 1002, bytes: SocketFrame(.ping, [], isFinal: false).bytes()),
            Breach(
                testDescription: "ping of 126 bytes", code: 1002,
                bytes: SocketFrame(.ping, [UInt8](repeating: 0, count: 126)).bytes()),
            Breach(
                testDescription: "continuation of nothing", code: 1002, bytes: SocketFrame(.continuation, []).bytes()),
            Breach(
                testDescription: "a message inside a message", code: 1002,
                bytes: SocketFrame(.text, [0x20], isFinal: false).bytes() + SocketFrame(.text, [0x20]).bytes()),
            Breach(testDescription: "close frame of one byte", code: 1002, bytes: SocketFrame(.close, [3]).bytes()),
            Breach(
                testDescription: "close frame with a reserved code", code: 1002,
                bytes: SocketFrame(.close, [0x03, 0xED]).bytes()),
        ]

        @Test("a breach of the protocol closes the socket with its code; others chat on")
        func breachesClose() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let thread = try await alice.join("Room")
            let other = try await alice.socket()
            for breach in Self.breaches {
                let socket = try await alice.socket()
                // The server may answer and close before all of it is sent.
                try? await socket.send(raw: breach.bytes)
                let end = try? await socket.end()
                #expect(end?.code == breach.code, "\(breach.testDescription)")
                try await other.say(breach.testDescription, in: thread)
                #expect(try await other.nextMessage().text == breach.testDescription)
            }
        }

        @Test("a compressed message that would expand beyond 65,536 bytes closes with 1009")
        func deflateBomb() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let socket = try await alice.socket(offersCompression: true)
            try #require(socket.reply.header("sec-websocket-extensions") != nil)
            var frame = SocketFrame(.text, try Deflate.compress([UInt8](repeating: 0x20, count: 20_000_000)))
            frame.isCompressed = true
            #expect(frame.payload.count < 65_536)
            try await socket.send(frame: frame)
            #expect(try await socket.closeCode() == 1009)
            let broken = try await alice.socket(offersCompression: true)
            var garbage = SocketFrame(.text, [0xFF, 0xFF, 0xFF, 0xFF])
            garbage.isCompressed = true
            try await broken.send(frame: garbage)
            #expect(try await [1002, 1007].contains(broken.closeCode()))
        }

        @Test("pings are answered with their payload, fragments are put together, at the limit everything works")
        func unusualButRight() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let thread = try await alice.join("Room")
            let socket = try await alice.socket()
            let frame = Array(#"{"message":{"id":"\#(thread)","text":"ü€🎉"}}"#.utf8)
            // Every byte its own fragment, so characters are split too, with a ping in between.
            for (index, byte) in frame.enumerated() {
                let isLast = index == frame.count - 1
                try await socket.send(frame: SocketFrame(index == 0 ? .text : .continuation, [byte], isFinal: isLast))
                if index == 10 { try await socket.send(frame: SocketFrame(.ping, Array("are you there".utf8))) }
            }
            #expect(try await socket.nextPong() == Array("are you there".utf8))
            #expect(try await socket.nextMessage().text == "ü€🎉")

            // Exactly 65,536 bytes, padded by a field that is ignored.
            let start = #"{"message":{"id":"\#(thread)","text":"big"},"padding":""#
            let padding = String(repeating: "p", count: 65_536 - start.utf8.count - 2)
            try await socket.send(text: start + padding + "\"}")
            #expect(try await socket.nextMessage().text == "big")

            // The longest text, of characters that take four bytes each.
            let longest = String(repeating: "🎈", count: 4_096)
            try await socket.say(longest, in: thread)
            #expect(try await socket.nextMessage().text == longest)

            // A frame in single bytes.
            try await socket.stopAnsweringPings()
            for byte in SocketFrame(.text, Array(#"{"message":{"id":"\#(thread)","text":"drip"}}"#.utf8)).bytes() {
                try await socket.send(raw: [byte])
            }
            #expect(try await socket.nextMessage().text == "drip")
            try await socket.close(code: 1000)
            #expect(try await socket.closeCode() == 1000)
        }

        @Test("frames that may not be sent are dropped and counted, and the socket lives on")
        func droppedFrames() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let bob = try await TestUser.signUp("bob", port: parley.port)
            let mine = try await alice.join("Mine")
            let foreign = try await bob.join("Foreign")
            let foreignSocket = try await bob.socket()
            let socket = try await alice.socket()
            let tooLong = String(repeating: "x", count: 4_097)
            let frames = [
                "nonsense", "{", "[]", "null", "7", "{}", #"{"unknown":1}"#, #"{"message":"text"}"#,
                #"{"message":{"id":"\#(mine)"}}"#, #"{"message":{"text":"no thread"}}"#,
                #"{"message":{"id":"\#(mine)","text":""}}"#, #"{"message":{"id":"\#(mine)","text":7}}"#,
                #"{"message":{"id":"\#(mine)","text":"\#(tooLong)"}}"#,
                #"{"message":{"id":"\#(mine)","text":"a\u0000b"}}"#, #"{"message":{"id":"\#(mine)","text":"\ud800"}}"#,
                #"{"message":{"id":"\#(foreign)","text":"let me in"}}"#,
                #"{"message":{"id":"ffffffffffffffffffffffffffffffff","text":"hello?"}}"#,
                #"{"read":"\#(foreign)"}"#,
            ]
            #expect(frames.count < 20)
            let before = try await parley.metrics()
            for frame in frames { try await socket.send(text: frame) }
            try await socket.say("good", in: mine)
            // The first thing that comes back is the good one: no error frame, no echo of a bad one.
            #expect(try await socket.nextMessage().text == "good")
            #expect(try await alice.history(of: mine).map { $0["text"]?.string } == ["good"])
            try await foreignSocket.say("undisturbed", in: foreign)
            #expect(try await foreignSocket.nextMessage().text == "undisturbed")
            #expect(try await bob.history(of: foreign).count == 1)

            let after = try await parley.metrics()
            let dropped = "parley_frames_dropped_total"
            let counted = (after.sum(dropped) ?? 0) - (before.sum(dropped) ?? 0)
            #expect(counted == Double(frames.count))
        }

        @Test("twenty bad frames within ten seconds close with 4002, nineteen do not")
        func abuse() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let thread = try await alice.join("Room")
            let patient = try await alice.socket()
            for _ in 0..<19 { try await patient.send(text: "nonsense") }
            try await patient.say("still here", in: thread)
            #expect(try await patient.nextMessage().text == "still here")

            let abuser = try await alice.socket()
            for _ in 0..<20 { try await abuser.send(text: "nonsense") }
            #expect(try await abuser.closeCode() == 4002)
        }

        static let bytesOfNoHTTP: KeyValuePairs<String, String> = [
            "TLS": "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", "empty lines": "\r\n\r\n\r\n\r\n", "a bare method": "GET\r\n\r\n",
            "another version": "NONSENSE / HTTP/9.9\r\n\r\n",
        ]

        @Test("bytes that are no HTTP are answered with 400 or by closing", arguments: bytesOfNoHTTP.map(\.key))
        func noHTTP(name: String) async throws {
            let bytes = try #require(Self.bytesOfNoHTTP.first { $0.key == name }).value
            let parley = try await ParleyProcess.start()
            let connection = try await RawConnection.connect(port: parley.port)
            // The server may close before it has all of it.
            try? await connection.send(bytes)
            try? await connection.finishSending()
            let response = try await connection.readToEnd()
            #expect(response.isEmpty || String(decoding: response, as: UTF8.self).hasPrefix("HTTP/1.1 400"))
            #expect(try await parley.http.get("/healthz").status == 200)
        }

        @Test("a head without end is cut off")
        func endlessHead() async throws {
            let parley = try await ParleyProcess.start()
            let connection = try await RawConnection.connect(port: parley.port)
            try await connection.send("GET /chat HTTP/1.1\r\nHost: x\r\n")
            let line = Array(("X-Filler: " + String(repeating: "f", count: 1_000) + "\r\n").utf8)
            var sent = 0
            while connection.isOpen, sent < 4_000_000 {
                guard (try? await connection.send(line)) != nil else { break }
                sent += line.count
            }
            #expect(sent < 4_000_000)
            #expect(try await parley.http.get("/healthz").status == 200)
        }
    }
}
