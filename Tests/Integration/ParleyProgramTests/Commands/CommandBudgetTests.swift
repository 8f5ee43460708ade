import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// What one user can do to others by commands alone, in a cluster on a real Redis and PostgreSQL.
    @Suite struct CommandBudgetTests {
        private static func withRoom(
            _ environment: [String: String] = [:],
            _ test: (_ alice: V1Person, _ bob: V1Person, _ room: String) async throws -> Void
        ) async throws {
            let cluster = try await ProgramCluster.start(environment: environment)
            let users = (
                try await TestUser.signUp("alice", port: cluster.persister.port),
                try await TestUser.signUp("bob", port: cluster.persister.port)
            )
            let room = try await users.0.join("Room")
            _ = try await users.1.join("Room")
            let alice = try await V1Person.open(users.0, cluster, at: 0)
            let bob = try await V1Person.open(users.1, cluster, at: 1)
            try await test(alice, bob, room)
            try await cluster.stop()
        }

        @Test(
            "of 3,000 reads in a burst a member sees at most 300 in 8 s, the last one among them; each is acknowledged")
        func reads() async throws {
            try await Self.withRoom { alice, bob, room in
                for number in 0..<20 {
                    let ack = try await alice.ask(
                        ["message": ["id": .string(room), "text": .string("m\(number)")]], ref: number)
                    try #require(ack["type"]?.string == "ack")
                }
                let deadline = ContinuousClock.now + .seconds(8)
                let last = 11
                try await alice.send(
                    (0..<3000).map { number in
                        let seq = number == 2999 ? last : 1 + number % 10
                        return ["read": ["id": .string(room), "seq": .int(seq)], "ref": .int(1000 + number)]
                    })
                // In their order, none left out.
                for number in 0..<3000 {
                    let response = try await alice.next { ($0["ref"]?.int ?? 0) >= 1000 }
                    try #require(response["type"]?.string == "ack" && response["ref"]?.int == 1000 + number)
                }
                // Bob is not held up by them.
                _ = try await bob.ask(["message": ["id": .string(room), "text": "hello"]], ref: 1)
                // Until the time is over; what came before is among what was received.
                while ContinuousClock.now < deadline {
                    _ = try? await bob.next(within: ContinuousClock.now.duration(to: deadline)) { _ in false }
                }
                let seen = bob.socket.received.compactMap { text -> Int? in
                    guard let frame = try? JSONValue(parsing: text), frame["type"]?.string == "read" else { return nil }
                    return frame["read_seq"]?.int
                }
                #expect(seen.count <= 300)
                #expect(seen.last == last)
            }
        }

        @Test("who asks for too many pages, pings or lists is put off, and nobody else")
        func floods() async throws {
            let settings = ["PARLEY_LIMITS_HISTORY_PER_SECOND": "5", "PARLEY_LIMITS_HISTORY_BURST": "20"]
            try await Self.withRoom(settings) { alice, bob, room in
                let commands: [JSONValue] = [
                    ["history": ["id": .string(room), "limit": 1]], ["ping": 1], ["watch": ["users": []]],
                    ["auth": ["token": "x"]],
                ]
                for command in commands {
                    guard case .object(var members) = command else { continue }
                    let flood: [JSONValue] = (0..<400).map { number in
                        members["ref"] = .int(number)
                        return .object(members)
                    }
                    try await alice.send(flood)
                    var codes: [String?] = []
                    for number in 0..<400 {
                        let response = try await alice.next { $0["ref"]?.int == number }
                        codes.append(response["code"]?.string)
                        if response["code"]?.string == "rate_limited" {
                            #expect((response["retry_after_ms"]?.int ?? 0) > 0)
                        }
                    }
                    #expect(codes.contains("rate_limited"), "\(command)")
                    #expect(codes.first != "rate_limited", "\(command)")
                    let response = try await bob.ask(command, ref: 1)
                    #expect(response["code"]?.string != "rate_limited", "\(command)")
                }
            }
        }

        @Test("typing notifications beyond the budget reach nobody, and are acknowledged")
        func typing() async throws {
            try await Self.withRoom { alice, bob, room in
                // More than the throttle of each thread keeps in mind.
                var rooms = [room]
                for number in 1...19 {
                    rooms.append(try await alice.user.join("Room \(number)"))
                    _ = try await bob.user.join("Room \(number)")
                }
                let began = ContinuousClock.now
                try await alice.send(
                    (0..<600).map { number in
                        ["typing": ["id": .string(rooms[number % 20]), "on": true], "ref": .int(number)]
                    })
                for number in 0..<600 {
                    let response = try await alice.next { $0["ref"]?.int == number }
                    try #require(response["type"]?.string == "ack")
                }
                _ = try await alice.ask(["message": ["id": .string(room), "text": "end"]], ref: 1000)
                _ = try await bob.next { $0["text"]?.string == "end" }
                let seconds = Int((ContinuousClock.now - began) / .seconds(1)) + 1
                let shown = bob.socket.received.count { $0.contains(#""type":"typing""#) }
                #expect((1...23 + 5 * seconds).contains(shown))
            }
        }

        @Test("joins and leaves count as sends: of 400 in a burst no more are told than the budget grants")
        func joins() async throws {
            try await Self.withRoom { alice, bob, room in
                let began = ContinuousClock.now
                try await alice.send(
                    (0..<400).map { number -> JSONValue in
                        number % 2 == 0
                            ? ["leave": ["id": .string(room)], "ref": .int(number)]
                            : ["join": ["title": "Room"], "ref": .int(number)]
                    })
                var refused = 0
                for number in 0..<400 {
                    let response = try await alice.next { $0["ref"]?.int == number }
                    guard response["code"]?.string == "rate_limited" else { continue }
                    refused += 1
                    #expect((response["retry_after_ms"]?.int ?? 0) > 0)
                }
                let seconds = Int((ContinuousClock.now - began) / .seconds(1)) + 1
                #expect(refused > 0)
                #expect(400 - refused <= 40 + 20 * seconds)
                // Bob is not held up, and sees no more than that.
                _ = try await bob.ask(["message": ["id": .string(room), "text": "hello"]], ref: 1)
                let told = bob.socket.received.count {
                    $0.contains(#""type":"joined""#) || $0.contains(#""type":"left""#)
                }
                #expect((1...400 - refused).contains(told))
            }
        }

        @Test("a text that is too long is too_large on every way")
        func tooLarge() async throws {
            try await Self.withRoom(["PARLEY_LIMITS_TEXT_CHARS": "3"]) { alice, _, room in
                let send = try await alice.ask(["message": ["id": .string(room), "text": "abcd"]], ref: 1)
                #expect(send["code"]?.string == "too_large")
                let part: JSONValue = ["type": "text/plain", "content": "abcd"]
                let parts = try await alice.ask(["message": ["id": .string(room), "parts": [part]]], ref: 2)
                #expect(parts["code"]?.string == "too_large")
                let sent = try await alice.ask(["message": ["id": .string(room), "text": "abc"]], ref: 3)
                let id = try #require(sent["id"]?.string)
                let edit = try await alice.ask(
                    ["edit": ["id": .string(room), "message_id": .string(id), "text": "abcd"]], ref: 4)
                #expect(edit["code"]?.string == "too_large")
                let path = "/v1/threads/\(room)/messages"
                for body in [["text": "abcd"], ["parts": [part]]] as [JSONValue] {
                    let reply = try await alice.user.http.post(path, json: body)
                    #expect(reply.status == 413)
                    #expect(try reply.json()["error"]?["code"]?.string == "too_large")
                }
                let patch = try await alice.user.http.send(
                    "PATCH", "\(path)/\(id)", headers: [("Content-Type", "application/json")],
                    body: Array(#"{"text":"abcd"}"#.utf8))
                #expect(patch.status == 413)
            }
        }
    }
}
