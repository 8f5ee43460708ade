import HTTPTypes
import ParleyAccounts
import ParleyModel
import ParleyREST
import Testing

@Suite("Authentication over REST")
struct IdentityTests {
    @Test(
        "every call that needs a user rejects requests without credentials",
        arguments: [
            ("GET", "/messaging/load-inbox"), ("GET", "/messaging/load-messages?id=x"), ("GET", "/v1/me"),
            ("POST", "/messaging/add-chatroom"), ("POST", "/v1/tickets"),
        ])
    func nobody(method: String, path: String) async throws {
        try await RESTFixture.run { fixture in
            let headers: [[(String, String)]] = [
                [], [("Cookie", "sessionid=made-up")], [("Authorization", "Bearer made-up")],
                [("Authorization", "Digest x")], [("Authorization", "Bearer pk_unknown"), ("X-Parley-User", "alice")],
            ]
            for headers in headers {
                let reply = try await fixture.send(method == "GET" ? .get : .post, path, headers: headers)
                #expect(reply.status == 401)
                #expect(reply.code == "unauthorized")
                #expect(reply.header("WWW-Authenticate") == "Bearer realm=\"parley\"")
            }
        }
    }

    @Test("cookie, session token and Basic are accepted alike, and an API key for a user")
    func allWays() async throws {
        let key = "pk_0123456789abcdef0123456789abcdef"
        try await RESTFixture.run({ $0.settings.apiKeys = try APIKeys(parsing: "backend:\(key)") }) { fixture in
            let alice = try await fixture.sessionUser("alice")
            let ways: [[(String, String)]] = [
                [alice.cookie], [("Authorization", "Bearer \(alice.session)")],
                [("Authorization", "Basic YWxpY2U6Y29ycmVjdCBob3JzZQ==")],
                [("Authorization", "Bearer \(key)"), ("X-Parley-User", "alice")],
                [("Authorization", "Bearer \(key)"), ("X-Parley-User", alice.user.id.text)],
            ]
            for headers in ways {
                let reply = try await fixture.send(.get, "/v1/me", headers: headers)
                #expect(reply.text == #"{"id":"\#(alice.user.id)","username":"alice"}"#)
            }
        }
    }

    @Test("an API key without a user reads every thread, marks nothing as read, and has no inbox")
    func service() async throws {
        let key = "pk_0123456789abcdef0123456789abcdef"
        try await RESTFixture.run({ $0.settings.apiKeys = try APIKeys(parsing: "backend:\(key)") }) { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let thread = try await alice.join("Room")
            _ = try await bob.join("Room")
            try await fixture.say("hi", by: alice.user, in: thread)
            try await fixture.persist()
            let headers = [("Authorization", "Bearer \(key)")]
            let page = try await fixture.send(.get, "/messaging/load-messages?id=\(thread)", headers: headers)
            #expect(page.status == 200)
            #expect((page.object["messages"] as? [Any])?.count == 1)
            #expect(try await bob.inbox().first?.unread == 1)
            #expect(try await fixture.send(.get, "/messaging/load-messages?id=nowhere", headers: headers).status == 404)
            for path in ["/v1/me", "/messaging/load-inbox"] {
                let reply = try await fixture.send(.get, path, headers: headers)
                #expect(reply.status == 403)
                #expect(reply.code == "forbidden")
            }
            #expect(try await fixture.send(.post, "/v1/tickets", headers: headers).status == 403)
        }
    }

    @Test("a ticket authenticates its user once")
    func tickets() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let reply = try await fixture.send(.post, "/v1/tickets", headers: [alice.cookie])
            #expect(reply.status == 201)
            let ticket = try #require(reply.object["ticket"] as? String)
            #expect(reply.text == #"{"ticket":"\#(ticket)","expires_in":30}"#)
            #expect(try await fixture.services.auth.tickets.redeem(ticket).user == alice.user)
        }
    }
}
