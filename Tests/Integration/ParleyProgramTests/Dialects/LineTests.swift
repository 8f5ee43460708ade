import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The line listener over TCP, with hand-made clients and with the real `nc`.
    @Suite struct LineTests {
        private func start() async throws -> (ParleyProcess, Int) {
            let parley = try await ParleyProcess.start(hasLineListener: true)
            return (parley, try #require(parley.linePort))
        }

        /// A client that has introduced itself and seen its own arrival.
        private func join(_ name: String, _ port: Int) async throws -> LineClient {
            let client = try await LineClient.connect(port: port)
            try await client.send(line: "iam:\(name)")
            #expect(try await client.next() == "\(name):has joined")
            return client
        }

        @Test("everybody in the lobby sees who joins, what is said and who leaves, the speaker too")
        func lobby() async throws {
            let (parley, port) = try await start()
            let ann = try await join("ann", port)
            let ben = try await join("ben", port)
            #expect(try await ann.next() == "ben:has joined")
            try await ben.send(line: "msg:it is 10:30: hello")
            #expect(try await ann.next() == "ben:it is 10:30: hello")
            #expect(try await ben.next() == "ben:it is 10:30: hello")
            try await ann.send(raw: Array("msg:with carriage return\r\n".utf8))
            #expect(try await ben.next() == "ann:with carriage return")
            await ben.close()
            #expect(try await ann.next() == "ann:with carriage return")
            #expect(try await ann.next() == "ben:has left")
            withExtendedLifetime(parley) {}
        }

        @Test("what comes without a line feed counts as a line after 100 ms, as the article's client sends it")
        func noLineFeed() async throws {
            let (parley, port) = try await start()
            let ann = try await join("ann", port)
            let ben = try await LineClient.connect(port: port)
            try await ben.send(raw: Array("iam:ben".utf8))
            #expect(try await ben.next() == "ben:has joined")
            #expect(try await ann.next() == "ben:has joined")
            let start = ContinuousClock.now
            try await ben.send(raw: Array("msg:no end".utf8))
            #expect(try await ann.next() == "ben:no end")
            #expect(start.duration(to: .now) >= .milliseconds(95))
            // Two halves of a line in quick succession are one line.
            try await ben.send(raw: Array("msg:two ".utf8))
            try await ben.send(raw: Array("halves\n".utf8))
            #expect(try await ann.next() == "ben:two halves")
            withExtendedLifetime(parley) {}
        }

        @Test("several lines in one packet are several lines; a line in many packets is one")
        func packets() async throws {
            let (parley, port) = try await start()
            let ann = try await LineClient.connect(port: port)
            try await ann.send(raw: Array("iam:ann\nmsg:one\r\nmsg:two\n".utf8))
            #expect(try await ann.next() == "ann:has joined")
            #expect(try await ann.next() == "ann:one")
            #expect(try await ann.next() == "ann:two")
            for byte in Array("msg:drip\n".utf8) { try await ann.send(raw: [byte]) }
            #expect(try await ann.next() == "ann:drip")
            withExtendedLifetime(parley) {}
        }

        @Test("errors are said and the connection lives on")
        func errors() async throws {
            let (parley, port) = try await start()
            let taken = try await join("taken", port)
            _ = try await TestUser.signUp("registered", port: parley.port)
            let ann = try await LineClient.connect(port: port)
            let before: [(String, String)] = [
                ("msg:too early", "error:say iam:NAME first"),
                ("iam:taken", "error:name taken"),
                ("iam:registered", "error:name taken"),
                ("iam:", "error:bad name"),
                ("iam:a:b", "error:bad name"),
                ("iam:a\u{7}b", "error:bad name"),
                ("iam:" + String(repeating: "n", count: 31), "error:bad name"),
            ]
            for (line, response) in before {
                try await ann.send(line: line)
                #expect(try await ann.next() == response, "\(line)")
            }
            try await ann.send(line: "iam:ann")
            #expect(try await ann.next() == "ann:has joined")
            let after: [(String, String)] = [
                ("iam:other", "error:already ann"),
                ("hello", "error:unknown command"),
                ("msg:" + String(repeating: "x", count: 1_100), "error:line too long"),
                ("msg:" + String(repeating: "y", count: 20_000), "error:line too long"),
            ]
            for (line, response) in after {
                try await ann.send(line: line)
                #expect(try await ann.next() == response, "\(line.prefix(20))")
            }
            try await ann.send(raw: Array("msg:".utf8) + [0xC3, 0x28, 0x0A])
            #expect(try await ann.next() == "error:bad text")
            // The longest line there may be: 1024 bytes without its end.
            let longest = String(repeating: "z", count: 1_020)
            try await ann.send(line: "msg:" + longest)
            #expect(try await ann.next() == "ann:" + longest)
            withExtendedLifetime(taken) {}
        }

        @Test("a name is free again when its owner has left")
        func nameIsFreed() async throws {
            let (parley, port) = try await start()
            let watcher = try await join("watcher", port)
            let first = try await join("ann", port)
            #expect(try await watcher.next() == "ann:has joined")
            await first.close()
            #expect(try await watcher.next() == "ann:has left")
            _ = try await join("ann", port)
            withExtendedLifetime(parley) {}
        }

        @Test("a newcomer gets no backlog")
        func noBacklog() async throws {
            let (parley, port) = try await start()
            let ann = try await join("ann", port)
            try await ann.send(line: "msg:before")
            #expect(try await ann.next() == "ann:before")
            let ben = try await join("ben", port)
            #expect(try await ann.next() == "ben:has joined")
            try await ann.send(line: "msg:after")
            #expect(try await ben.next() == "ann:after")
            withExtendedLifetime(parley) {}
        }

        @Test("members of the room `lobby` on WebSockets are in the same conversation")
        func crossing() async throws {
            let (parley, port) = try await start()
            let ann = try await join("ann", port)
            let web = try await TestUser.signUp("webster", port: parley.port)
            let socket = try await web.socket()
            let lobby = try await web.join("lobby")
            // Webster's joining may be announced or not; only what is said is compared.
            try await ann.send(line: "msg:hello from a line")
            let message = try await socket.nextMessage()
            #expect(message.text == "hello from a line")
            #expect(message.senderName == "ann")
            #expect(message.threadID == lobby)
            #expect(message.senderID != web.id)
            try await socket.say("hello from the web", in: lobby)
            var lines: [String] = []
            while lines.last != "webster:hello from the web" { lines.append(try #require(try await ann.next())) }
            #expect(lines.contains("ann:hello from a line"))

            // The same guest has the same id next time.
            await ann.close()
            let again = try await join("ann", port)
            try await again.send(line: "msg:back")
            _ = try await socket.nextMessage()
            let second = try await socket.nextMessage()
            #expect(second.text == "back")
            #expect(second.senderID == message.senderID)
        }

        @Test("the real nc is a client")
        func netcat() async throws {
            let (parley, port) = try await start()
            let ann = try await join("ann", port)
            let output = parley.directory.path + "/nc"
            // nc ends when its input does; the pauses only keep it there to receive.
            let script = "{ echo iam:nick; sleep 1; echo msg:hello from nc; sleep 2; } | nc -q 0 127.0.0.1 \(port)"
            let nc = try await ChildProcess.start(
                "sh", ["-c", script], environment: ParleyBinary.environment([:]), in: parley.directory.path,
                output: output)
            #expect(try await ann.next() == "nick:has joined")
            #expect(try await ann.next() == "nick:hello from nc")
            try await ann.send(line: "msg:hello nick")
            #expect(try await nc.exit(within: .seconds(20)) == .exited(0))
            let seen = try String(contentsOfFile: output, encoding: .utf8)
            #expect(seen == "nick:has joined\nnick:hello from nc\nann:hello nick\n")
        }
    }
}
