import ParleyModel
import ParleyTestSupport
import Testing

@Suite("Types of the web app")
struct WebAppTypeTests {
    @Test("the web app shows the types that the server serves as themselves, and no others")
    func shown() throws {
        let lines = try Repository.text("Sources/CWebClient/files/app/attachments.js").split(separator: "\n")
        var listed: Set<String> = []
        for (name, kind) in [("PICTURES", "image/"), ("VIDEOS", "video/"), ("SOUNDS", "audio/")] {
            let line = try #require(lines.first { $0.hasPrefix("const \(name) = new Set(") })
            let types = line.split(separator: "'").map(String.init).filter { $0.contains("/") }
            #expect(!types.isEmpty && types.allSatisfy { $0.hasPrefix(kind) }, "\(name)")
            listed.formUnion(types)
        }
        #expect(listed == MediaType.shown)
    }

    @Test(
        "files of the web client have the type of their suffix",
        arguments: [
            ("index.html", "text/html; charset=utf-8"), ("a.b.js", "text/javascript; charset=utf-8"),
            ("manifest.webmanifest", "application/manifest+json"), ("js", "text/javascript; charset=utf-8"),
            ("README", "application/octet-stream"), ("", "application/octet-stream"),
        ])
    func webFiles(name: String, type: String) {
        #expect(MediaType.ofWebFile(name) == type)
    }
}
