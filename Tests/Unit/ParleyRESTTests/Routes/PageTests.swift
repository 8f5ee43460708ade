import Foundation
import HTTPTypes
import ParleyREST
import ParleyTestSupport
import Testing

@Suite("The web client's files")
struct PageTests {
    /// The files in the source folders, each with its path.
    private static func sources() throws -> [(file: URL, path: String)] {
        let folder = Repository.url("Sources/CWebClient/files")
        // Pages, documents and the service worker have short paths.
        let short = [
            "app/index.html": "/", "console/console.html": "/console", "docs/docs.html": "/docs",
            "app/serviceWorker.js": "/serviceWorker.js", "docs/openapi.json": "/openapi.json",
        ]
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted().compactMap { name in
            guard name.contains(".") else { return nil }
            let last = name.split(separator: "/").last ?? ""
            let path = short[name] ?? (last.hasSuffix(".md") ? "/\(last)" : "/\(name)")
            return (folder.appending(path: name), path)
        }
    }

    @Test("every file of the folder is served unchanged, with its type, and allows no other origins")
    func files() async throws {
        let types = [
            "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
            "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "json": "application/json",
            "md": "text/markdown; charset=utf-8", "png": "image/png",
            "webmanifest": "application/manifest+json",
        ]
        try await RESTFixture.run { fixture in
            let sources = try Self.sources()
            #expect(sources.count > 1)
            // The settings are written into them.
            let rendered = ["/", "/app/manifest.webmanifest"]
            for (file, path) in sources {
                let reply = try await fixture.send(.get, path)
                #expect(reply.status == 200, "\(path)")
                if !rendered.contains(path) { #expect(reply.body == Array(try Data(contentsOf: file)), "\(path)") }
                #expect(reply.header("Content-Type") == types[file.pathExtension])
                #expect(reply.header("Cache-Control") == "no-cache")
                #expect(reply.header("X-Content-Type-Options") == "nosniff")
                #expect(reply.header("X-Frame-Options") == "DENY")
                let policy = try #require(reply.header("Content-Security-Policy"))
                #expect(policy.contains("default-src 'none'"))
                #expect(policy.contains("script-src 'self';"))
                #expect(policy.contains("frame-ancestors 'none'"))
                // Only the app shows what was made in the page: pictures that are not sent yet.
                #expect(policy.contains("blob:") == (path == "/"), "\(path)")
                if path == "/" { #expect(policy.contains("; img-src 'self' blob:; media-src 'self'; ")) }
                #expect(!policy.contains("unsafe") && !policy.contains("http") && !policy.contains("*"))
            }
        }
    }

    @Test("the service worker keeps every file that the page loads, below any path")
    func kept() async throws {
        let worker = try Repository.text("Sources/CWebClient/files/app/serviceWorker.js")
        let list = try #require(worker.split(separator: "const FILES = [").last?.split(separator: "\n]").first)
        let names = list.split(separator: "'", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        for path in ["/", "/messenger/"] {
            try await RESTFixture.run {
                $0.web.path = path
            } _: { fixture in
                let page = try await fixture.send(.get, path).text
                let loaded = page.matches(of: /(?:href|src)="((?:app|shared|client)\/[^"#]*)/).map {
                    String($0.output.1)
                }
                let later = try await fixture.laterScripts(below: path).keys
                // An icon of phones, which load it before the worker exists.
                let kept = Set(loaded).subtracting(["shared/icon-192.png"]).union(later)
                #expect(kept == Set(names).subtracting([""]))
                for name in names { #expect(try await fixture.send(.get, path + name).status == 200, "\(path + name)") }
            }
        }
    }

    @Test(
        "the server has the documents of the protocol",
        arguments: [
            ("/protocol.md", "PROTOCOL"), ("/protocol-sockets.md", "protocol/sockets"),
            ("/protocol-rest.md", "protocol/rest"), ("/protocol-admin.md", "protocol/admin"),
            ("/examples.md", "examples"),
        ])
    func protocolDocument(path: String, name: String) async throws {
        try await RESTFixture.run { fixture in
            let expected = try Array(Repository.text("docs/\(name).md").utf8)
            #expect(try await fixture.send(.get, path).body == expected)
        }
    }

    @Test("a browser with a current copy gets 304")
    func notModified() async throws {
        try await RESTFixture.run { fixture in
            let eTag = try #require(try await fixture.send(.get, "/").header("ETag"))
            #expect(eTag.hasPrefix("\"") && eTag.hasSuffix("\"") && eTag.count == 34)
            #expect(try await fixture.send(.get, "/app/style.css").header("ETag") != eTag)
            for condition in [eTag, "W/\(eTag)", "\"x\", \(eTag)", "*"] {
                let reply = try await fixture.send(.get, "/", headers: [("If-None-Match", condition)])
                #expect(reply.status == 304, "\(condition)")
                #expect(reply.body.isEmpty)
                #expect(reply.header("ETag") == eTag)
                #expect(reply.header("Content-Length") == nil)
            }
            for condition in ["\"x\"", "", "garbage"] {
                #expect(try await fixture.send(.get, "/", headers: [("If-None-Match", condition)]).status == 200)
            }
        }
    }
}
