import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Thousands who connect and do not go on: memory stays bounded and the others chat on.
    @Suite struct SlowClientTests {
        /// Resident memory by `/metrics`, in bytes.
        private func memory(of parley: ParleyProcess) async throws -> Double {
            try #require(try await parley.metrics().sum("process_resident_memory_bytes"))
        }

        @Test("2,000 half-open connections and slow handshakes cost little memory and disturb nobody")
        func halfOpen() async throws {
            FileDescriptors.raiseLimit()
            let parley = try await ParleyProcess.start(environment: ["PARLEY_HANDSHAKE_SECONDS": "60"])
            let port = parley.port
            let alice = try await TestUser.signUp("alice", port: port)
            let bob = try await TestUser.signUp("bob", port: port)
            let thread = try await alice.join("Room")
            _ = try await bob.join("Room")
            let aliceSocket = try await alice.socket()
            let bobSocket = try await bob.socket()
            let before = try await memory(of: parley)

            // From other addresses than the two who chat, in case an address has a limit.
            let connections = try await withThrowingTaskGroup(of: [RawConnection].self) { group in
                for part in 0..<20 {
                    group.addTask {
                        var opened: [RawConnection] = []
                        for number in 0..<100 {
                            let connection = try await RawConnection.connect(port: port, from: "127.0.0.\(part + 10)")
                            // A third sends nothing, a third stops in the request line, a third in the headers.
                            switch number % 3 {
                            case 0: break
                            case 1: try? await connection.send("GET /ch")
                            default:
                                try? await connection.send(
                                    "GET /chat HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nX-Slow: ")
                            }
                            opened.append(connection)
                        }
                        return opened
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(connections.count == 2_000)

            var slowest = Duration.zero
            for round in 0..<20 {
                for connection in connections[(round * 100)..<(round * 100 + 100)] { try? await connection.send("a") }
                let start = ContinuousClock.now
                try await aliceSocket.say("round \(round)", in: thread)
                #expect(try await bobSocket.nextMessage().text == "round \(round)")
                slowest = max(slowest, start.duration(to: .now))
            }
            // Half of the time after which their handshakes end.
            #expect(slowest < .seconds(30))
            let growth = try await memory(of: parley) - before
            // 32 KiB for each, which is several times what a connection should cost.
            #expect(growth < 2_000 * 32 * 1_024, "\(growth) bytes")

            for connection in connections { await connection.close() }
            let areGone = try await eventually(within: .seconds(20)) {
                try await parley.metrics().sum("process_open_fds") ?? .infinity < 200
            }
            #expect(areGone)
        }

        @Test("a handshake that only drips is cut off when its time is over")
        func slowHandshake() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_HANDSHAKE_SECONDS": "1"])
            let silent = try await RawConnection.connect(port: parley.port)
            let dripping = try await RawConnection.connect(port: parley.port)
            try await dripping.send("GET /chat HTTP/1.1\r\nHost: x\r\nX-Slow: ")
            let start = ContinuousClock.now
            while dripping.isOpen, start.duration(to: .now) < .seconds(4) + .leeway {
                // What makes this client slow is the pause.
                try await Task.sleep(for: .milliseconds(100))
                guard (try? await dripping.send("a")) != nil else { break }
            }
            _ = try await dripping.readToEnd()
            _ = try await silent.readToEnd()
            #expect(start.duration(to: .now) < .seconds(4) + .leeway)
        }

        @Test("a member who does not read costs bounded memory, is closed, and misses nothing in the history")
        func slowReader() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "0"])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let bob = try await TestUser.signUp("bob", port: parley.port)
            let thread = try await alice.join("Room")
            _ = try await bob.join("Room")
            let aliceSocket = try await alice.socket()
            let bobSocket = try await bob.socket()
            try await bobSocket.setReading(false)
            let before = try await memory(of: parley)
            // 4,000 messages of 4 KiB are 16 MiB, more than the system's own buffers hold.
            let text = String(repeating: "x", count: 4_000)
            for round in 0..<100 {
                for number in 0..<40 { try await aliceSocket.say("\(round * 40 + number) \(text)", in: thread) }
                for _ in 0..<40 { _ = try await aliceSocket.nextMessage() }
            }
            let growth = try await memory(of: parley) - before
            #expect(growth < 64 * 1_024 * 1_024, "\(growth) bytes")
            // It is closed with 4300, so that it reconnects at once and loads the history; without room for that, cut.
            try await bobSocket.setReading(true)
            let end = try await bobSocket.end()
            #expect(end.code == 4300 || end.code == nil)
            let newest = try await bob.page(of: thread).messages.first?["text"]?.string
            #expect(newest?.hasPrefix("3999 ") == true)
        }
    }
}

/// How many files and sockets this process may have open.
enum FileDescriptors {
    /// Raises the soft limit to the hard one, for tests with thousands of sockets.
    static func raiseLimit() {
        var limit = rlimit()
        #if os(Linux)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        setrlimit(resource, &limit)
    }
}
