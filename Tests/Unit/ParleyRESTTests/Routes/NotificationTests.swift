import HTTPTypes
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("What notifies, over REST")
struct NotificationTests {
    private static let path = "/v1/me/notifications"

    @Test("settings are shown with their defaults, changed one by one, and removed by null")
    func settings() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let standard = #"""
                {"default":{"direct":"all","group":"all","room":"mentions"},"quiet":null,"muted_until_ms":null,"threads":[]}
                """#
            #expect(try await alice.get(Self.path).text == standard)
            #expect(try await alice.call(.patch, Self.path, "{}").text == standard)
            let changed = try await alice.call(
                .patch, Self.path,
                #"""
                {"default":{"room":"none","group":null},"muted_until_ms":253402300799999,
                "quiet":{"from":"22:00","to":"07:00","timezone":"Europe/Berlin"}}
                """#)
            let expected = #"""
                {"default":{"direct":"all","group":"all","room":"none"},"quiet":{"from":"22:00","to":"07:00",\#
                "timezone":"Europe/Berlin"},"muted_until_ms":253402300799999,"threads":[]}
                """#
            #expect(changed.status == 200 && changed.text == expected, "\(changed.text)")
            #expect(try await alice.get(Self.path).text == expected)
            let removed = try await alice.call(
                .patch, Self.path, #"{"quiet":null,"muted_until_ms":null,"default":{"room":"mentions"}}"#)
            #expect(removed.text == standard)
        }
    }

    @Test("settings for a thread are those of its members")
    func threads() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let tea = try await alice.join("Tea")
            let path = "/v1/threads/\(tea)/notifications"
            #expect(try await alice.get(path).text == #"{"thread_id":"\#(tea)","level":null,"muted_until_ms":null}"#)
            let muted = #"{"thread_id":"\#(tea)","level":"none","muted_until_ms":9000000000000}"#
            let changed = try await alice.call(.patch, path, #"{"level":"none","muted_until_ms":9000000000000}"#)
            #expect(changed.status == 200 && changed.text == muted)
            #expect(try await alice.get(path).text == muted)
            #expect(try await alice.get(Self.path).text.hasSuffix(#""threads":[\#(muted)]}"#))
            #expect(try await bob.get(path).status == 403)
            #expect(try await bob.call(.patch, path, #"{"level":"all"}"#).status == 403)
            #expect(try await bob.get("/v1/threads/none/notifications").status == 404)
            #expect(try await bob.call(.patch, "/v1/threads/none/notifications", "{}").status == 404)
            let removed = try await alice.call(.patch, path, #"{"level":null,"muted_until_ms":null}"#)
            #expect(removed.text == #"{"thread_id":"\#(tea)","level":null,"muted_until_ms":null}"#)
            #expect(try await alice.get(Self.path).text.hasSuffix(#""threads":[]}"#))
        }
    }

    @Test("a bad field is 400 and named")
    func malformed() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let thread = "/v1/threads/\(try await alice.join("Tea"))/notifications"
            let quiet = { (from: String, to: String, zone: String) in
                #"{"quiet":{"from":"\#(from)","to":"\#(to)","timezone":"\#(zone)"}}"#
            }
            let bodies: [(String, String, String)] = [
                (Self.path, #"{"default":[]}"#, "default must be an object"),
                (Self.path, #"{"default":{"room":"some"}}"#, "default.room is unknown"),
                (Self.path, #"{"default":{"direct":1}}"#, "default.direct must be a string"),
                (Self.path, #"{"quiet":"night"}"#, "quiet must be an object"),
                (Self.path, #"{"quiet":{}}"#, "quiet.from"),
                (Self.path, quiet("22:00", "22:00", "UTC"), "must differ"),
                (Self.path, quiet("22:00", "24:00", "UTC"), "quiet.to"),
                (Self.path, quiet("22:00", "07:00", "CET"), "quiet.timezone is unknown"),
                (Self.path, #"{"muted_until_ms":253402300800000}"#, "muted_until_ms is not a whole number"),
                (Self.path, #"{"muted_until_ms":-1}"#, "muted_until_ms is not a whole number"),
                (thread, #"{"level":"some"}"#, "level is unknown"), (thread, #"{"level":7}"#, "level must be a string"),
                (thread, #"{"muted_until_ms":"soon"}"#, "muted_until_ms is not a whole number"),
            ]
            for (path, body, text) in bodies {
                let reply = try await alice.call(.patch, path, body)
                #expect(reply.status == 400 && reply.text.contains(text), "\(body) \(reply.text)")
            }
        }
    }
}
