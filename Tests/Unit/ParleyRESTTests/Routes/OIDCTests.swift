import Foundation
import HTTPTypes
import ParleyAccounts
import ParleyREST
import Testing

@Suite("The routes of a login at an OpenID provider")
struct OIDCTests {
    /// A provider that has a discovery document and no users.
    private struct Provider: ProviderRequests {
        func answer(to request: ProviderRequest) async throws(ProviderError) -> ProviderAnswer {
            guard request.form == nil else { return ProviderAnswer(status: 400, body: []) }
            let document = """
                {"issuer":"https://id.example","authorization_endpoint":"https://id.example/login",
                "token_endpoint":"https://id.example/token","jwks_uri":"https://id.example/jwks"}
                """
            return ProviderAnswer(status: 200, body: Array(document.utf8))
        }
    }

    private func run(
        _ change: (inout RESTFixture.Options) throws -> Void = { _ in }, _ test: (RESTFixture) async throws -> Void
    ) async throws {
        try await RESTFixture.run({ options in
            options.provider = Provider()
            options.settings.oidc = ProviderAddress("https://id.example").map {
                OIDCSettings(issuer: $0, clientID: "parley")
            }
            try change(&options)
        }) { try await test($0) }
    }

    /// A field of the query of an address.
    private func field(_ name: String, of address: String?) -> String? {
        address.flatMap { URLComponents(string: $0) }?.queryItems?.first { $0.name == name }?.value
    }

    @Test("sends the browser to the provider, with a cookie for ten minutes")
    func begin() async throws {
        try await run { fixture in
            let reply = try await fixture.send(.get, "/auth/oidc?next=/%23/t/x")
            #expect(reply.status == 303)
            let address = reply.header("Location")
            #expect(address?.hasPrefix("https://id.example/login?response_type=code&") == true)
            #expect(field("redirect_uri", of: address) == "http://chat.example/auth/oidc/callback")
            let cookie = try #require(reply.cookies.first)
            #expect(cookie.hasPrefix("parley_oidc="))
            #expect(cookie.hasSuffix("; Max-Age=600; Path=/; HttpOnly; SameSite=Lax"))
            #expect(reply.cookies.count == 1)
        }
    }

    @Test("is of https, and its cookie of this host alone, behind a proxy with TLS")
    func overTLS() async throws {
        for isAlways in [false, true] {
            try await run {
                if isAlways {
                    $0.cookie.secure = .always
                } else {
                    $0.proxies = try TrustedProxies(parsing: "192.0.2.1")
                }
            } _: { fixture in
                let forwarded = isAlways ? [] : [("X-Forwarded-Proto", "https"), ("X-Forwarded-For", "198.51.100.7")]
                let reply = try await fixture.send(.get, "/auth/oidc", headers: forwarded)
                #expect(
                    field("redirect_uri", of: reply.header("Location")) == "https://chat.example/auth/oidc/callback")
                let cookie = try #require(reply.cookies.first)
                #expect(cookie.hasPrefix("__Host-parley_oidc="))
                #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure"))
            }
        }
    }

    @Test("shows what failed as an error to a program, and leads a browser to the web app below its path")
    func failures() async throws {
        try await run({ $0.web.path = "/messenger/" }) { fixture in
            let begun = try await fixture.send(.get, "/auth/oidc")
            let cookie = try #require(begun.cookies.first?.split(separator: ";").first.map(String.init))
            let state = try #require(field("state", of: begun.header("Location")))
            let callback = "/auth/oidc/callback?code=x&state=\(state)"
            for (cookie, code) in [("parley_oidc=x", "oidc_expired"), (cookie, "oidc_rejected")] {
                let reply = try await fixture.send(.get, callback, headers: [("Cookie", cookie)])
                #expect(reply.status == 403)
                #expect(reply.message?.hasPrefix("\(code): ") == true)
                #expect(reply.cookies.isEmpty)
            }
            let shown = try await fixture.send(
                .get, callback, headers: [("Cookie", cookie), ("Accept", "text/html,*/*;q=0.8")])
            #expect(shown.status == 303)
            #expect(shown.header("Location") == "/messenger/?login_error=oidc_expired", "used before")
            #expect(shown.cookies.first?.hasPrefix("parley_oidc=; Expires=") == true)
            for path in ["/auth/oidc?next=//evil", "/auth/oidc?next=/&next=//evil", callback + "&state=y"] {
                let reply = try await fixture.send(.get, path, headers: [("Accept", "text/html")])
                #expect(reply.status == 400, "\(path)")
            }
            for path in ["/auth/oidc", callback] {
                let part = try await fixture.send(.get, path, headers: [("Sec-Fetch-Dest", "iframe")])
                #expect(part.status == 403, "\(path)")
                #expect(part.cookies.isEmpty)
            }
        }
    }

    @Test("do not exist without a provider")
    func without() async throws {
        try await RESTFixture.run { fixture in
            for path in ["/auth/oidc", "/auth/oidc/callback"] {
                let answer = try await fixture.send(.get, path)
                #expect(answer.code == "not_found", "\(path)")
            }
        }
    }
}
