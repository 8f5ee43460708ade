import Foundation
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// A stop that was asked for: sockets are told, what was taken is kept, exit 0.
    @Suite struct StopTests {
        @Test("SIGTERM and SIGINT end the program with 0, open sockets or not", arguments: [SIGTERM, SIGINT])
        func graceful(signal: Int32) async throws {
            let idle = try await ParleyProcess.start(arguments: ["--drain-seconds", "1"])
            #expect(try await idle.terminate(signal: signal, within: .seconds(10)) == .exited(0))

            let parley = try await ParleyProcess.start(arguments: ["--drain-seconds", "1"], hasLineDoor: true)
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let sockets = [try await alice.socket(), try await alice.socket(subprotocols: ["parley.direct"])]
            let line = try await LineClient.connect(port: try #require(parley.linePort))
            try await line.send(line: "iam:ann")
            #expect(try await line.next() == "ann:has joined")
            // Three that would never go by themselves: a kept-alive connection, a half-open one, a socket that is silent.
            let kept = try await RawConnection.connect(port: parley.port)
            try await kept.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await HTTPClient.readReply(from: kept).status == 200)
            let half = try await RawConnection.connect(port: parley.port)
            try await half.send("GET /ch")

            let start = ContinuousClock.now
            #expect(try await parley.terminate(signal: signal, within: .seconds(15)) == .exited(0))
            #expect(start.duration(to: .now) < .seconds(10))
            // Codes after which a client comes back (PROTOCOL §3).
            for socket in sockets {
                let code = try await socket.closeCode()
                #expect([1001, 1012, 4200].contains(code), "\(String(describing: code))")
            }
            withExtendedLifetime((kept, half)) {}
        }

        @Test("what came back before the stop is in the history after it")
        func nothingIsLost() async throws {
            let parley = try await ParleyProcess.start(
                arguments: ["--drain-seconds", "1"], environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "0"])
            let crowd = try await Crowd.gather(5, in: "Crowd", port: parley.port)
            let moment = Mailbox<Void>(of: "moment for the stop")
            async let status: ProcessEnd = {
                _ = try await moment.take(within: .seconds(60))
                return try await parley.terminate()
            }()
            let received = try await crowd.talk(each: 2_000) { member, message in
                if member == 0, message.text.hasSuffix("/100") { moment.put(()) }
            }
            #expect(try await status == .exited(0))
            try await parley.restart()
            let history = try await crowd.members[0].user.history(of: crowd.thread)
            let stored = Set(history.compactMap { $0["id"]?.string })
            #expect(stored.count == history.count)
            for messages in received { #expect(messages.allSatisfy { stored.contains($0.id) }) }
        }
    }
}
