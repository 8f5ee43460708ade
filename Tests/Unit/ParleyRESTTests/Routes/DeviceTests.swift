import HTTPTypes
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import Testing

@Suite("Devices over REST")
struct DeviceTests {
    private static let token = "0a1b2c3d4e5f"
    private static let body = #"{"kind":"apns","token":"\#(token)","topic":"org.example.chat"}"#

    private static func devices(_ user: SessionUser) async throws -> [[String: Any]] {
        let reply = try await user.get("/v1/me/devices")
        #expect(reply.status == 200 && !reply.text.contains(token))
        return try #require(reply.object["devices"] as? [[String: Any]])
    }

    @Test("a device is registered, listed without its token, and deleted by its user only")
    func registers() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let made = try await alice.call(.post, "/v1/me/devices", Self.body)
            #expect(made.status == 201 && made.object["kind"] as? String == "apns" && !made.text.contains(Self.token))
            #expect(Set(made.object.keys) == ["id", "kind", "created_ms", "last_used_ms"])
            let again = try await alice.call(.post, "/v1/me/devices", Self.body)
            #expect(again.status == 200 && again.object["id"] as? String == made.object["id"] as? String)
            #expect(try await Self.devices(alice).count == 1)
            #expect(try await Self.devices(bob).isEmpty)
            let path = "/v1/me/devices/\(made.object["id"] as? String ?? "")"
            #expect(try await bob.call(.delete, path, "").status == 404)
            #expect(try await alice.call(.delete, "/v1/me/devices/un%20known", "").status == 404)
            #expect(try await alice.call(.delete, path, "").status == 204)
            #expect(try await alice.call(.delete, path, "").status == 404)
            #expect(try await fixture.post("/v1/me/devices", json: Self.body).status == 401)
        }
    }

    @Test("a token belongs to the user who has registered it last, and ends with the logout")
    func moves() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            #expect(try await alice.call(.post, "/v1/me/devices", Self.body).status == 201)
            #expect(try await bob.call(.post, "/v1/me/devices", Self.body).status == 201)
            #expect(try await Self.devices(alice).isEmpty)
            #expect(try await fixture.store.devicesToNotify([bob.user.id], at: 0).count == 1)
            #expect(try await bob.call(.post, "/auth/logout", "").status == 200)
            #expect(try await fixture.store.devicesToNotify([alice.user.id, bob.user.id], at: 0).isEmpty)
        }
    }

    @Test("a bad field is 400 and named")
    func malformed() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bodies: [(String, String)] = [
                ("{}", "kind is missing"), (#"{"kind":"sms"}"#, "kind is unknown"),
                (#"{"kind":"apns","topic":"a"}"#, "token must"),
                (#"{"kind":"fcm","token":7}"#, "token must be a string"),
                (#"{"kind":"fcm","token":"a\u0000"}"#, "token contains a NUL"), (#"{"kind":"web"}"#, "endpoint must"),
                (#"{"kind":"web","endpoint":"https://a","keys":[]}"#, "keys must be an object"),
                (#"{"kind":"web","endpoint":"https://a","keys":{"p256dh":1}}"#, "keys.p256dh must be a string"),
                (#"{"kind":"web","endpoint":"https://a","keys":{}}"#, "keys.p256dh must be an uncompressed point"),
            ]
            for (body, text) in bodies {
                let reply = try await alice.call(.post, "/v1/me/devices", body)
                #expect(reply.status == 400 && reply.text.contains(text), "\(body) \(reply.text)")
            }
            #expect(try await Self.devices(alice).isEmpty)
        }
    }

    @Test("a server without senders offers none")
    func offer() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            #expect(try await alice.get("/v1/push").text == #"{"web":null,"apns":false,"fcm":false}"#)
        }
    }
}
