import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Whoever can publish in Redis can write any number into an event.
    @Suite struct ForeignNumberTests {
        private static func payload(
            thread: String, user: TestUser, seq: String = "1", date: String = "1800000000000", count: String = "1"
        ) -> String {
            #"{"type":"chat.message","message":{"type":"message","id":"0","text":"x","sender_id":"\#(user.id)","#
                + #""sender_name":"alice","thread_id":"\#(thread)","epoch":"abcd1234","seq":\#(seq),"#
                + #""date_ms":\#(date),"date":1800000000},"n":\#(count)}"#
        }

        @Test("an event with a number that no log contains ends no gateway, and closes no socket")
        func events() async throws {
            let cluster = try await ProgramCluster.start(environment: ["PARLEY_CHANNELS_SERIALIZER": "json"])
            let alice = try await TestUser.signUp("alice", port: cluster.persister.port)
            let thread = try await alice.join("Room")
            let sockets = [try await cluster.socket(of: alice, at: 0), try await cluster.socket(of: alice, at: 1)]
            let redis = try await RawConnection.connect(port: cluster.redis.port)
            for number in ["9223372036854775807", "-9223372036854775808", "-1"] {
                for payload in [
                    Self.payload(thread: thread, user: alice, seq: number),
                    Self.payload(thread: thread, user: alice, date: number),
                    Self.payload(thread: thread, user: alice, count: number),
                ] {
                    for channel in ["asgi__group__\(thread)", "asgi__group__\(thread).events"] {
                        let words = ["PUBLISH", channel, payload].map { "$\($0.utf8.count)\r\n\($0)\r\n" }
                        try await redis.send("*3\r\n\(words.joined())")
                        _ = try await redis.read()
                    }
                }
            }
            try await sockets[0].say("fine", in: thread)
            for socket in sockets {
                while try await socket.nextMessage().text != "fine" {}
            }
            for gateway in cluster.gateways {
                #expect(try await HTTPClient(port: gateway.port).get("/healthz").status == 200)
            }
            await redis.close()
            try await cluster.stop()
        }
    }
}
