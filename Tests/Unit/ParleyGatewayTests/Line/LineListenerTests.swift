import NIOCore
import NIOPosix
import ParleyGateway
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import ServiceLifecycle
import Testing

@Suite(.timeLimit(.minutes(5))) struct LineListenerTests {
    /// Runs a node with a line listener.
    private func run(
        _ adjust: (inout GatewaySettings) -> Void = { _ in },
        _ body: @escaping @Sendable (Node, _ port: Int, _ lobby: ThreadInfo) async throws -> Void
    ) async throws {
        try await Node.run(adjust) { node in
            let lobby = try await node.inside.room("lobby", [])
            let port = FreePort.next()
            let transport = node.inside.gateway.lineListener(
                lobby: lobby, group: node.group, host: "127.0.0.1", port: port)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await transport.run() }
                try #require(
                    try await eventually { (try? await RawConnection.connect(port: port)) != nil }, "line listener")
                try await body(node, port, lobby)
                group.cancelAll()
            }
        }
    }

    private func guest(_ name: String, _ port: Int) async throws -> LineClient {
        let client = try await LineClient.connect(port: port)
        try await client.send(line: "iam:\(name)")
        #expect(try await client.next() == "\(name):has joined")
        return client
    }

    @Test("guests and members of the lobby see each other's words, joins and leaves")
    func lobby() async throws {
        try await run { node, port, lobby in
            let alice = try await node.inside.person("alice")
            try await node.inside.store.importRoom("lobby", id: lobby.id, members: [alice.user], at: 0)
            let socket = try await node.socket(alice)
            let bob = try await guest("bob", port)
            let carol = try await guest("carol", port)
            #expect(try await bob.next() == "carol:has joined")
            try await bob.send(line: "msg:one: two")
            for client in [bob, carol] { #expect(try await client.next() == "bob:one: two") }
            #expect(try await socket.nextText() == "one: two")
            try await socket.say("hello\nguests", in: lobby.id.text)
            for client in [bob, carol] { #expect(try await client.next() == "alice:hello guests") }
            await carol.close()
            #expect(try await bob.next() == "carol:has left")
            // The name is free again.
            let second = try await guest("carol", port)
            #expect(try await bob.next() == "carol:has joined")
            withExtendedLifetime(second) {}
        }
    }

    @Test("every error is said, and the connection lives on")
    func errors() async throws {
        try await run { node, port, _ in
            _ = try await node.inside.person("alice")
            let other = try await guest("taken", port)
            let client = try await LineClient.connect(port: port)
            let exchanges: [(String, String)] = [
                ("msg:hi", "error:say iam:NAME first"), ("iam:alice", "error:name taken"),
                ("iam:taken", "error:name taken"), ("iam:", "error:bad name"), ("iam:a:b", "error:bad name"),
                ("iam:" + String(repeating: "x", count: 31), "error:bad name"), ("hello", "error:unknown command"),
                ("what:hi", "error:unknown command"), (String(repeating: "y", count: 1025), "error:line too long"),
                ("iam:zoe", "zoe:has joined"), ("iam:zoe", "error:already zoe"), ("iam:other", "error:already zoe"),
                ("msg:", "error:bad text"), ("msg:fine", "zoe:fine"),
            ]
            for (line, response) in exchanges {
                try await client.send(line: line)
                #expect(try await client.next() == response)
            }
            try await client.send(raw: Array("msg:".utf8) + [0xFF, 0x0A])
            #expect(try await client.next() == "error:bad text")
            withExtendedLifetime(other) {}
        }
    }

    @Test("a silence ends a line, however the bytes come")
    func silence() async throws {
        // Longer than it is for others: on a busy machine a client may take seconds from one byte to the next.
        try await run({ $0.lineSilence = .seconds(5) }) { _, port, _ in
            let client = try await LineClient.connect(port: port)
            try await client.send(raw: Array("iam:ann".utf8))
            #expect(try await client.next() == "ann:has joined")
            for byte in "msg:slow".utf8 { try await client.send(raw: [byte]) }
            #expect(try await client.next() == "ann:slow")
            try await client.send(raw: Array("msg:one\r\nmsg:two\nmsg:three".utf8))
            for text in ["one", "two", "three"] { #expect(try await client.next() == "ann:\(text)") }
        }
    }

    @Test("lines that come with the name wait for it, in their order, and not without bound")
    func namePending() async throws {
        try await run { node, port, _ in
            node.inside.directory.gate.shut()
            let client = try await RawConnection.connect(port: port)
            try await client.send("iam:ann\nmsg:first\nmsg:second\n")
            try await node.inside.directory.gate.arrival()
            let ends = Mailbox<Bool>(of: "end of 64 MiB")
            let flood = Task {
                let chunk = Array(repeatElement(UInt8(ascii: "\n"), count: 1 << 16))
                for _ in 0..<1024 { try await client.send(chunk) }
                ends.put(true)
            }
            await #expect(throws: TimedOut.self) { _ = try await ends.take(within: .seconds(1)) }
            node.inside.directory.gate.open()
            var text = ""
            while !text.contains("second") {
                text += String(decoding: try #require(try await client.read()), as: UTF8.self)
            }
            #expect(text == "ann:has joined\nann:first\nann:second\n")
            await client.close()
            _ = await flood.result
        }
    }

    @Test("a guest who goes while the name is looked up leaves the name free")
    func goesWhileClaiming() async throws {
        try await run { node, port, _ in
            for _ in 1...3 {
                node.inside.directory.gate.shut()
                let client = try await RawConnection.connect(port: port)
                try await client.send("iam:ann\n")
                try await node.inside.directory.gate.arrival()
                try await client.reset()
                node.inside.directory.gate.open()
                try #require(
                    try await eventually {
                        let next = try await LineClient.connect(port: port)
                        try await next.send(line: "iam:ann")
                        let response = try await next.next()
                        await next.close()
                        return response == "ann:has joined"
                    }, "free name")
            }
        }
    }

    @Test("a guest who does not read is cut off, whatever the bytes are")
    func slowReaders() async throws {
        try await run({ $0.limits.sendsPerSecond = 0 }) { node, port, _ in
            for line in ["nonsense", "msg:" + String(repeating: "x", count: 1000)] {
                let before = node.inside.counted("parley_slow_sockets_total")
                let client = try await RawConnection.connect(port: port)
                try await client.send("iam:ann\n")
                _ = try await client.read()
                try await client.setReading(false)
                let chunk = Array(repeatElement(Array((line + "\n").utf8), count: 65_536 / line.utf8.count).joined())
                let flood = Task { while true { try await client.send(chunk) } }
                try #require(
                    try await eventually(within: .seconds(120)) {
                        node.inside.counted("parley_slow_sockets_total") > before
                    }, "cut")
                flood.cancel()
                await client.close()
                _ = await flood.result
                try #require(
                    try await eventually {
                        await node.inside.guestNames.claim("ann", for: .init(trusted: "x"))
                    }, "free name")
                await node.inside.guestNames.release("ann", by: .init(trusted: "x"))
            }
        }
    }

    @Test("an address has so many connections; more are closed at once")
    func bound() async throws {
        try await run({ $0.limits.connectionsPerAddress = 3 }) { node, port, _ in
            try #require(try await eventually { node.inside.gateway.counts.lines == 0 }, "no line connection")
            var held: [LineClient] = []
            for index in 0..<3 { held.append(try await guest("g\(index)", port)) }
            let refused = try await RawConnection.connect(port: port)
            #expect(try await refused.readToEnd().isEmpty)
            await held.removeLast().close()
            try #require(try await eventually { node.inside.gateway.counts.lines == 2 }, "room")
            held.append(try await guest("again", port))
            withExtendedLifetime(held) {}
        }
    }

    @Test("a shutdown closes the listener and its connections", arguments: [true, false])
    func shutdown(isGraceful: Bool) async throws {
        try await Node.run { node in
            let lobby = try await node.inside.room("lobby", [])
            let port = FreePort.next()
            let transport = node.inside.gateway.lineListener(
                lobby: lobby, group: node.group, host: "127.0.0.1", port: port)
            let services = ServiceGroup(
                configuration: .init(services: [.init(service: transport)], logger: node.inside.logger))
            let running = Task { try await services.run() }
            try #require(
                try await eventually { (try? await RawConnection.connect(port: port)) != nil }, "line listener")
            let ann = try await guest("ann", port)
            let silent = try await RawConnection.connect(port: port)
            if isGraceful { await services.triggerGracefulShutdown() } else { running.cancel() }
            _ = await running.result
            while try await ann.next() != nil {}
            #expect(try await silent.readToEnd().isEmpty)
            await #expect(throws: (any Error).self) { try await RawConnection.connect(port: port) }
            try #require(try await eventually { node.inside.gateway.counts.lines == 0 }, "no line connection")
        }
    }
}
