import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Commands of one socket take effect in their order, in a cluster on a real Redis and PostgreSQL.
    @Suite struct CommandOrderTests {
        /// Alice at one gateway, bob at another, both in one room; sends and pages are not limited.
        private static func withRoom(
            _ test: (_ cluster: ProgramCluster, _ alice: V1Person, _ bob: V1Person, _ room: String) async throws -> Void
        ) async throws {
            let cluster = try await ProgramCluster.start(environment: [
                "PARLEY_LIMITS_SENDS_PER_SECOND": "0", "PARLEY_LIMITS_HISTORY_PER_SECOND": "0",
            ])
            let users = (
                try await TestUser.signUp("alice", port: cluster.persister.port),
                try await TestUser.signUp("bob", port: cluster.persister.port)
            )
            let room = try await users.0.join("Room")
            _ = try await users.1.join("Room")
            let alice = try await V1Person.open(users.0, cluster, at: 0)
            let bob = try await V1Person.open(users.1, cluster, at: 1)
            try await test(cluster, alice, bob, room)
            try await cluster.stop()
        }

        @Test("a page asked for right behind a send holds the message, and head_seq counts it")
        func history() async throws {
            try await Self.withRoom { _, alice, _, room in
                for round in 0..<150 {
                    try await alice.send([
                        ["message": ["id": .string(room), "text": .string("m\(round)")], "ref": .int(2 * round)],
                        ["history": ["id": .string(room), "limit": 3], "ref": .int(2 * round + 1)],
                    ])
                    let ack = try await alice.next { $0["type"]?.string == "ack" }
                    let page = try await alice.next { $0["type"]?.string == "page" }
                    let seq = try #require(ack["seq"]?.int)
                    try #require(page["head_seq"]?.int == seq, "round \(round)")
                    try #require(page["events"]?.array?.last?["text"]?.string == "m\(round)", "round \(round)")
                }
            }
        }

        @Test("a read without a seq right behind a send reads the message")
        func read() async throws {
            try await Self.withRoom { _, alice, bob, room in
                for round in 0..<60 {
                    try await alice.send([
                        ["message": ["id": .string(room), "text": .string("m\(round)")], "ref": .int(2 * round)],
                        ["read": ["id": .string(room)], "ref": .int(2 * round + 1)],
                    ])
                    let ack = try await alice.next { $0["type"]?.string == "ack" }
                    let seq = try #require(ack["seq"]?.int)
                    let response = try await alice.next { $0["type"]?.string == "ack" }
                    try #require(response["ref"]?.int == 2 * round + 1, "\(response)")
                    let read = try await bob.next { $0["type"]?.string == "read" }
                    try #require(read["read_seq"]?.int == seq, "round \(round)")
                }
            }
        }

        @Test("a read far ahead reads to the end and no further, on sockets and over REST")
        func readAhead() async throws {
            try await Self.withRoom { _, alice, bob, room in
                try await bob.send([["message": ["id": .string(room), "text": "first"], "ref": 1]])
                let first = try #require(try await bob.next { $0["ref"]?.int == 1 }["seq"]?.int)
                try await alice.send([["read": ["id": .string(room), "seq": 1_000_000], "ref": 1]])
                _ = try await alice.next { $0["ref"]?.int == 1 && $0["type"]?.string == "ack" }
                let told = try await bob.next { $0["type"]?.string == "read" }
                #expect(told["read_seq"]?.int == first)
                let reply = try await alice.user.http.send(
                    "PUT", "/v1/threads/\(room)/read", headers: [("Content-Type", "application/json")],
                    body: Array(#"{"seq":2000000}"#.utf8))
                #expect(try reply.json()["read_seq"]?.int == first)
                // What comes afterwards is not read.
                try await bob.send([["message": ["id": .string(room), "text": "second"], "ref": 2]])
                _ = try await bob.next { $0["ref"]?.int == 2 }
                let isUnread = try await eventually { try await alice.user.unread(in: room) == 1 }
                #expect(isUnread)
            }
        }
    }
}
