import Foundation
import HTTPTypes
import ParleyTestSupport
import Testing

@Suite("The web client's files")
struct PageTests {
    /// The files in the source folder, each with its path.
    private static func sources() throws -> [(file: URL, path: String)] {
        let folder = Repository.url("Sources/CWebClient/files")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).map { file in
            let pages = ["index.html": "/", "console.html": "/console", "docs.html": "/docs"]
            return (file, pages[file.lastPathComponent] ?? "/\(file.lastPathComponent)")
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
            for (file, path) in sources {
                let reply = try await fixture.send(.get, path)
                #expect(reply.status == 200, "\(path)")
                #expect(reply.body == Array(try Data(contentsOf: file)), "\(path)")
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

    @Test("the service worker keeps every file of the app, and no other")
    func kept() throws {
        let worker = try Repository.text("Sources/CWebClient/files/serviceWorker.js")
        let list = try #require(worker.split(separator: "const FILES = [").last?.split(separator: "].map(").first)
        let names = try #require(list.split(separator: "...[").last)
        let literals = { (text: Substring) in
            text.split(separator: "'", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        }
        let modules = literals(names).map { "/\($0).js" }
        let paths = Set(literals(list).filter { $0.hasPrefix("/") } + modules)
        let others = ["console", "docs", "serviceWorker", "openapi", "protocol"]
        let files = try Self.sources().map(\.path).filter { path in !others.contains { path.hasPrefix("/\($0)") } }
        #expect(paths == Set(files))
    }

    @Test("the protocol beside the description of the calls is docs/PROTOCOL.md")
    func protocolDocument() async throws {
        try await RESTFixture.run { fixture in
            let expected = try Array(Repository.text("docs/PROTOCOL.md").utf8)
            #expect(try await fixture.send(.get, "/protocol.md").body == expected)
        }
    }

    @Test("a browser with a current copy gets 304")
    func notModified() async throws {
        try await RESTFixture.run { fixture in
            let eTag = try #require(try await fixture.send(.get, "/").header("ETag"))
            #expect(eTag.hasPrefix("\"") && eTag.hasSuffix("\"") && eTag.count == 34)
            #expect(try await fixture.send(.get, "/style.css").header("ETag") != eTag)
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
