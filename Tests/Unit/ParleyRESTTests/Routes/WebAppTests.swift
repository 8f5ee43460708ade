import HTTPTypes
import ParleyREST
import ParleyTestSupport
import Testing

@Suite("The web client with the settings of a site")
struct WebAppTests {
    private static let script = "app/bundle.js"

    @Test("is below its path, with a redirect from the path without its slash, and the other pages stay where they are")
    func path() async throws {
        try await RESTFixture.run {
            $0.web.path = "/messenger/"
        } _: { fixture in
            for name in ["", Self.script, "serviceWorker.js", "client/index.js", "shared/icons.svg"] {
                #expect(try await fixture.send(.get, "/messenger/" + name).status == 200, "\(name)")
            }
            let redirect = try await fixture.send(.get, "/messenger")
            #expect(redirect.status == 308)
            #expect(redirect.header("Location") == "/messenger/")
            for path in ["/console", "/docs", "/shared/icons.svg"] {
                #expect(try await fixture.send(.get, path).status == 200, "\(path)")
            }
            for path in [
                "/", "/app/bundle.js", "/serviceWorker.js", "/messenger/console", "/messenger/app/", "/console/",
            ] {
                #expect(try await fixture.send(.get, path).status == 404, "\(path)")
            }
            // No address in the page depends on the place.
            let page = try await fixture.send(.get, "/messenger/").text
            #expect(page.matches(of: /(?:href|src)="\//).isEmpty)
        }
    }

    @Test("has the name, the addresses and the logo of the site, none of which becomes markup")
    func site() async throws {
        try await RESTFixture.run {
            $0.web.name = #"A & <b> "c""#
            $0.web.loginURL = "/login/?a=1&b='\"><script>"
            $0.web.logo = WebAppSettings.Logo(bytes: [1, 2, 3], type: "image/png")
            $0.web.theme = ":root { --accent: red }"
        } _: { fixture in
            let page = try await fixture.send(.get, "/").text
            #expect(page.contains("<title>A &amp; &lt;b&gt; &quot;c&quot;</title>"))
            #expect(!page.contains("><script>"))
            #expect(page.contains("&quot;signUp&quot;:false"))
            let logo = try await fixture.send(.get, "/app/logo")
            #expect(logo.body == [1, 2, 3])
            #expect(logo.header("Content-Type") == "image/png")
            #expect(try await fixture.send(.get, "/app/bundle.css").text.hasSuffix(":root { --accent: red }"))
            let manifest = try await fixture.send(.get, "/app/manifest.webmanifest").object
            #expect(manifest["name"] as? String == #"A & <b> "c""#)
            #expect((manifest["icons"] as? [[String: String]])?.map { $0["src"] } == ["logo"])
        }
    }

    @Test("has a button for the OpenID provider, and forms for passwords unless they are switched off")
    func provider() async throws {
        try await RESTFixture.run { fixture in
            let page = try await fixture.send(.get, "/").text
            #expect(page.contains("&quot;passwords&quot;:true") && page.contains("&quot;signUp&quot;:true"))
            #expect(!page.contains("&quot;provider&quot;"))
        }
        try await RESTFixture.run {
            $0.web.providerName = "A & B"
            $0.web.hasPasswords = false
        } _: { fixture in
            let page = try await fixture.send(.get, "/").text
            #expect(page.contains("&quot;provider&quot;:&quot;A &amp; B&quot;"))
            #expect(page.contains("&quot;passwords&quot;:false") && page.contains("&quot;signUp&quot;:false"))
        }
    }

    @Test(
        "may be framed by the pages that the settings name, and by no others",
        arguments: [
            ([], "'none'", "DENY"), (["'self'"], "'self'", "SAMEORIGIN"),
            (["'self'", "https://a.example"], "'self' https://a.example", nil),
        ])
    func frames(ancestors: [String], policy: String, options: String?) async throws {
        try await RESTFixture.run {
            $0.web.frameAncestors = ancestors
        } _: { fixture in
            let app = try await fixture.send(.get, "/")
            #expect(app.header("Content-Security-Policy")?.contains("frame-ancestors \(policy)") == true)
            #expect(app.header("X-Frame-Options") == options)
            let console = try await fixture.send(.get, "/console")
            #expect(console.header("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
            #expect(console.header("X-Frame-Options") == "DENY")
        }
    }

    @Test("is compressed for browsers that accept it, with a tag of its own for each form")
    func compression() async throws {
        try await RESTFixture.run { fixture in
            let plain = try await fixture.send(.get, "/app/bundle.js")
            #expect(plain.header("Content-Encoding") == nil)
            #expect(plain.header("Vary") == "Accept-Encoding")
            let gzipped = try await fixture.send(
                .get, "/app/bundle.js", headers: [("Accept-Encoding", "br, gzip;q=0.5")])
            #expect(gzipped.header("Content-Encoding") == "gzip")
            #expect(try Gunzip.expand(gzipped.body) == plain.body)
            #expect(gzipped.body.count < plain.body.count / 3)
            let tag = try #require(gzipped.header("ETag"))
            #expect(tag != plain.header("ETag"))
            let known = try await fixture.send(
                .get, "/app/bundle.js", headers: [("Accept-Encoding", "gzip"), ("If-None-Match", tag)])
            #expect(known.status == 304)
            for refusal in ["", "br", "gzip;q=0", "*;q=0", "identity, gzip; q=0.0"] {
                let reply = try await fixture.send(.get, "/app/bundle.js", headers: [("Accept-Encoding", refusal)])
                #expect(reply.body == plain.body, "\(refusal)")
            }
            let picture = try await fixture.send(.get, "/shared/icon-512.png", headers: [("Accept-Encoding", "gzip")])
            #expect(picture.header("Content-Encoding") == nil)
        }
    }

    @Test("has the scripts that it loads later, below its path too, and its service worker keeps them")
    func later() async throws {
        try await RESTFixture.run {
            $0.web.path = "/messenger/"
        } _: { fixture in
            let scripts = try await fixture.laterScripts(below: "/messenger/")
            #expect(!scripts.isEmpty)
            let worker = try await fixture.send(.get, "/messenger/serviceWorker.js").text
            for (name, reply) in scripts {
                #expect(reply.status == 200 && reply.text.hasPrefix("import { $ } from './bundle.js';"), "\(name)")
                #expect(reply.header("Content-Type") == "text/javascript; charset=utf-8", "\(name)")
                #expect(worker.contains("'\(name)'"), "\(name)")
            }
        }
    }

    @Test("loads in at most 12 files and 100 kB")
    func size() async throws {
        try await RESTFixture.run { fixture in
            let accept = [("Accept-Encoding", "gzip")]
            let page = try await fixture.send(.get, "/").text
            let names = Set(
                page.matches(of: /(?:href|src)="((?:app|shared|client)\/[^"#]*)/).map { String($0.output.1) })
            var bytes = try await fixture.send(.get, "/", headers: accept).body.count
            for name in names { bytes += try await fixture.send(.get, "/\(name)", headers: accept).body.count }
            // The page itself, the service worker, and `/v1/me`.
            #expect(names.count + 3 <= 12)
            #expect(bytes < 100_000)
        }
    }
}

@Suite("Paths of the web client")
struct WebAppPathTests {
    @Test("are between slashes, and none of the server's own", arguments: ["/", "/messenger/", "/a/b-c_d.e~f/"])
    func allowed(path: String) { #expect(WebAppSettings.isPath(path)) }

    @Test(arguments: [
        "", "messenger/", "/messenger", "//", "/a//b/", "/../", "/./", "/a b/", "/a%20/", "/ä/", "/v1/", "/chat/",
        "/auth/x/",
        "/console/", "/shared/", "/\(String(repeating: "a", count: 64))/",
    ])
    func refused(path: String) { #expect(!WebAppSettings.isPath(path)) }
}
