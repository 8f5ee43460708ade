import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Logins at an independent OpenID provider, over real HTTP.
    @Suite struct OIDCLoginTests {
        private static let page: HTTPClient.Headers = [("Accept", "text/html,application/xhtml+xml")]

        /// Begins a login.
        private func begin(_ parley: ParleyProcess, next: String = "/") async throws -> (
            address: String, cookie: String
        ) {
            let reply = try await parley.http.get("/auth/oidc?next=\(next)")
            #expect(reply.status == 303, "\(reply)")
            let line = try #require(reply.header("set-cookie"))
            #expect(line.contains("; Max-Age=600; Path=/; HttpOnly; SameSite=Lax"))
            return (try #require(reply.header("location")), try #require(reply.cookie("parley_oidc")))
        }

        private func finish(
            _ parley: ParleyProcess, _ target: String, cookie: String, headers: HTTPClient.Headers = []
        ) async throws -> HTTPReply {
            try await parley.http.get(target, headers: [("Cookie", "parley_oidc=\(cookie)")] + headers)
        }

        @Test("a user logs in there, is the same user the next time, and can log out")
        func logIn() async throws {
            let provider = try await OIDCServer.start()
            let parley = try await ParleyProcess.start(environment: provider.environment)
            var ids: Set<String> = []
            for _ in 0..<2 {
                let (address, cookie) = try await begin(parley, next: "/%23/t/x")
                let reply = try await finish(parley, try await provider.logIn("17", at: address), cookie: cookie)
                #expect(reply.status == 303, "\(reply)")
                #expect(reply.header("location") == "/#/t/x")
                #expect(reply.cookie("parley_oidc") == "")
                let session = ("Cookie", "sessionid=\(try #require(reply.cookie("sessionid")))")
                let me = try await parley.http.get("/v1/me", headers: [session]).json()
                #expect(me["username"]?.string == "alice")
                ids.insert(try #require(me["id"]?.string))
                #expect(try await parley.http.get("/auth/logout", headers: [session]).status == 200)
                #expect(try await parley.http.get("/v1/me", headers: [session]).status == 401)
            }
            #expect(ids.count == 1)
            // Another user of the provider, who has no name there, and whose `sub` looks like an ID.
            let (address, cookie) = try await begin(parley)
            let reply = try await finish(parley, try await provider.logIn("18", at: address), cookie: cookie)
            let session = ("Cookie", "sessionid=\(try #require(reply.cookie("sessionid")))")
            let other = try await parley.http.get("/v1/me", headers: [session]).json()
            #expect(other["username"]?.string?.hasPrefix("user-") == true)
            try await parley.kill()
            try await provider.stop()
        }

        @Test("a callback counts once, in its browser, with its code, and leads to this server only")
        func refusals() async throws {
            let provider = try await OIDCServer.start()
            let parley = try await ParleyProcess.start(environment: provider.environment)
            let (address, cookie) = try await begin(parley)
            let (_, other) = try await begin(parley)
            let target = try await provider.logIn("17", at: address)
            for (cookie, what) in [(other, "another browser"), ("x", "forged")] {
                let reply = try await finish(parley, target, cookie: cookie)
                #expect(reply.status == 403 && reply.text.contains("oidc_expired"), "\(what): \(reply)")
                #expect(reply.cookie("sessionid") == nil)
            }
            let shown = try await finish(parley, target, cookie: other, headers: Self.page)
            #expect(shown.status == 303)
            #expect(shown.header("location") == "/?login_error=oidc_expired")
            for part in ["image", "iframe", "script"] {
                let reply = try await finish(parley, target, cookie: cookie, headers: [("Sec-Fetch-Dest", part)])
                #expect(reply.status == 403)
                #expect(try await parley.http.get("/auth/oidc", headers: [("Sec-Fetch-Dest", part)]).status == 403)
            }
            #expect(try await finish(parley, target, cookie: cookie).status == 303)
            let replay = try await finish(parley, target, cookie: cookie)
            #expect(replay.status == 403 && replay.text.contains("oidc_expired"))

            let (_, second) = try await begin(parley)
            let state = try #require(try await begin(parley).address.firstMatch(of: /[?&]state=([^&]+)/)?.1)
            let wrong = try await finish(parley, "/auth/oidc/callback?code=x&state=\(state)", cookie: second)
            #expect(wrong.status == 403)
            for next in ["//evil", "/%5Cevil", "https://evil.example/", "/%09/evil", "/auth/logout", "x"] {
                let reply = try await parley.http.get("/auth/oidc?next=\(next)")
                #expect(reply.status == 400, "\(next)")
                #expect(reply.header("location") == nil)
            }
            let denied = try await parley.http.get("/auth/oidc/callback?error=access_denied", headers: Self.page)
            #expect(denied.header("location") == "/?login_error=oidc_denied")
            try await parley.kill()
            try await provider.stop()
        }

        @Test(
            "a provider that is away, silent or too talkative keeps neither the node nor other logins from working",
            arguments: ["away", "large", "never", "slow"])
        func broken(mode: String) async throws {
            let provider = mode == "away" ? nil : try await OIDCServer.startBroken(mode)
            let issuer = provider?.issuer ?? "http://127.0.0.1:\(FreePort.next())"
            let parley = try await ParleyProcess.start(environment: [
                "PARLEY_OIDC_ISSUER": issuer, "PARLEY_OIDC_CLIENT_ID": "parley",
            ])
            let start = ContinuousClock.now
            let reply = try await parley.http.get("/auth/oidc")
            #expect(reply.status == 503, "\(reply)")
            #expect(reply.errorCode == "unavailable")
            #expect(reply.header("retry-after") == "5")
            #expect(ContinuousClock.now - start < .seconds(15))
            let page = try await parley.http.get("/auth/oidc", headers: Self.page)
            #expect(page.header("location") == "/?login_error=oidc_unavailable")
            _ = try await TestUser.signUp("bob", port: parley.port)
            #expect(try await parley.http.get("/healthz").status == 200)
            try await parley.kill()
            try await provider?.stop()
        }

        @Test("without a provider there is no such login")
        func without() async throws {
            let parley = try await ParleyProcess.start()
            #expect(try await parley.http.get("/auth/oidc").status == 404)
            #expect(try await parley.http.get("/auth/oidc/callback?state=x&code=y").status == 404)
            try await parley.kill()
        }
    }
}
