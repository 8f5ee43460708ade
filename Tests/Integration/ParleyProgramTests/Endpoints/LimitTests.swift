import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Clients that reach a limit outside of the sockets get an error, and are counted.
    @Suite struct LimitTests {
        @Test("sends over REST that come too fast are put off, and counted")
        func sends() async throws {
            let parley = try await ParleyProcess.start(
                environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "1", "PARLEY_LIMITS_SENDS_BURST": "2"])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            // Counts as a send too.
            let thread = try await alice.join("Room")
            var statuses: [Int] = []
            for number in 0..<20 {
                let reply = try await parley.http.post(
                    "/v1/threads/\(thread)/messages", json: ["text": "\(number)"], headers: alice.cookieHeader)
                statuses.append(reply.status)
            }
            #expect(statuses.first == 201)
            #expect(Set(statuses) == [201, 429])
            let reached = try await parley.metrics().sum("parley_limits_reached_total", where: #"limit="sends""#)
            #expect(reached == Double(statuses.count { $0 == 429 }))
        }

        @Test("texts over REST that are too long are refused, and counted; others that are refused are not")
        func texts() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_LIMITS_TEXT_CHARS": "3"])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let path = "/v1/threads/\(try await alice.join("Room"))/messages"
            for (text, status) in [("abc", 201), ("abcd", 413), ("", 400)] {
                let reply = try await parley.http.post(
                    path, json: ["text": .string(text)], headers: alice.cookieHeader)
                #expect(reply.status == status)
            }
            #expect(try await parley.metrics().sum("parley_limits_reached_total", where: #"limit="text_chars""#) == 1)
        }
    }
}
