import Foundation
import ParleyTestSupport
import Testing

/// Comments are written as the documentation of SwiftNIO and Foundation is; see "English" in CONTRIBUTING.md.
@Suite struct CommentTests {
    /// The hits that the comments of a module may have, for each 1,000 lines of them.
    private static let limit = 2.0

    /// The lines of a source file's comments, without their markers, and whether each begins a documentation comment.
    static func comments(in source: String) -> [(text: String, opens: Bool)] {
        var lines: [(text: String, opens: Bool)] = []
        var wasDocumentation = false
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            let marker = ["///", "//", "/**", "* "].first { text.hasPrefix($0) }
            defer { wasDocumentation = marker != nil && marker != "//" }
            guard let marker else { continue }
            let content = text.dropFirst(marker.count).drop { $0 == " " }
            lines.append((String(content), marker != "//" && !wasDocumentation))
        }
        return lines
    }

    /// The hits of the patterns in a source file's comments.
    static func hits(in source: String) -> [String] {
        comments(in: source).flatMap { line in
            let patterns = CommentPattern.all + (line.opens ? [CommentPattern.opener] : [])
            return patterns.filter { $0.matches(line.text) }.map { "\($0.name): \(line.text)" }
        }
    }

    private static func sources(of module: String) throws -> [String] {
        let root = Repository.url(try Repository.path(inTarget: module))
        return try FileManager.default.subpathsOfDirectory(atPath: root.path(percentEncoded: false))
            .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".js") }
            .map { try String(contentsOf: root.appending(path: $0), encoding: .utf8) }
    }

    @Test("at most two of 1,000 comment lines of a module read as translated")
    func density() throws {
        let modules = try PackageManifest().targets.map(\.name) + ["CWebClient"]
        #expect(modules.count > 20)
        for module in modules.sorted() {
            let sources = try Self.sources(of: module)
            let lines = sources.reduce(0) { $0 + Self.comments(in: $1).count }
            let hits = sources.flatMap(Self.hits)
            let allowed = max(1, Double(lines) * Self.limit / 1000)
            #expect(Double(hits.count) <= allowed, "\(module): \(hits)")
        }
    }

    @Test(
        "phrases that read as translated are found",
        arguments: [
            "/// Of a thread of which the user is a member.", "/// How far it has come.", "/// What a user sends.",
            "// It is not a member any more.", "/// Those of the tabs that asked last come first.", "// Redis is away.",
            "    /// Names the message for ever.", "/** Why the login failed, if it did. */", "// Nobody waits for it.",
        ])
    func found(line: String) {
        #expect(!Self.hits(in: line).isEmpty)
    }

    @Test(
        "ordinary English is not",
        arguments: [
            "/// The ID of a thread that the user belongs to.", "/// Delivery state.", "/// The content of a message.",
            "// The user is no longer a member.", "/// Is this a question? What follows is not an opener.",
            "let text = \"for ever\"", "/// - Returns: `nil` if there are none.",
            "// What comes after `//` has no opener.",
        ])
    func notFound(line: String) {
        #expect(Self.hits(in: line).isEmpty)
    }

    @Test("CONTRIBUTING.md lists every pattern")
    func listed() throws {
        let text = try Repository.text("CONTRIBUTING.md")
        let chapter = try #require(text.split(separator: "\n## English\n").last?.split(separator: "\n## ").first)
        for pattern in CommentPattern.all { #expect(chapter.contains("*\(pattern.name)*"), "\(pattern.name)") }
        #expect(chapter.matches(of: /\n\| [^|]+ \| [^|]+ \|/).count >= 12, "ten pairs, below a head of two lines")
    }
}
