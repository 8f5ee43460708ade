import Foundation
import ParleyTestSupport
import Testing

/// The form of the documents: short cells, one sentence per line, and links that lead somewhere.
@Suite struct DocumentTests {
    private static func documents() throws -> [String] {
        let folders = ["docs", "examples", "Sources/Client/ParleyClient"].flatMap { folder in
            ((try? FileManager.default.subpathsOfDirectory(atPath: Repository.url(folder).path())) ?? [])
                .filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
        }
        let packages = ["python/parley-client/README.md", "python/parley-django/README.md"]
        let files = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + packages
        return files + folders.sorted()
    }

    /// The lines of a document outside fenced code, with their numbers.
    private static func prose(of document: String) throws -> [(number: Int, text: String)] {
        var isCode = false
        return try Repository.text(document).split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .compactMap { index, line in
                if line.drop(while: { $0 == " " }).hasPrefix("```") {
                    isCode.toggle()
                    return nil
                }
                return isCode ? nil : (index + 1, String(line))
            }
    }

    /// The cells of a table's row. `\|` is not a border.
    static func cells(of row: String) -> [String] {
        row.replacing("\\|", with: "\u{0}").split(separator: "|", omittingEmptySubsequences: false)
            .map { $0.replacing("\u{0}", with: "\\|").trimmingCharacters(in: .whitespaces) }
    }

    /// Whether a line has the end of one sentence and the beginning of another, outside code and parentheses.
    static func hasTwoSentences(_ line: String) -> Bool {
        var text = line.replacing(/`[^`]*`/, with: "x").replacing(#/^\s*(?:[-*]|\d+\.)\ /#, with: "")
        while text.contains(/\([^()]*\)/) { text.replace(/\([^()]*\)/, with: "") }
        return text.contains(#/[\p{L}\d*"”…][.!?]["”*]*\ +\p{Lu}/#) && !text.contains(#/\b(?:e\.g|i\.e)\.\ /#)
    }

    @Test("no cell of a table is longer than 120 characters")
    func tables() throws {
        for document in try Self.documents() {
            for line in try Self.prose(of: document) where line.text.hasPrefix("|") {
                for cell in Self.cells(of: line.text) {
                    #expect(cell.count <= 120, "\(document):\(line.number): \(cell)")
                }
            }
        }
    }

    @Test("each sentence has its own line")
    func sentences() throws {
        for document in try Self.documents() {
            for line in try Self.prose(of: document) where !line.text.hasPrefix("|") && !line.text.hasPrefix("#") {
                #expect(!Self.hasTwoSentences(line.text), "\(document):\(line.number): \(line.text)")
            }
        }
    }

    /// Prose: no rows of tables, no headings, and not the chapter that lists the phrases.
    @Test("at most two of 1,000 lines of the documents read as translated")
    func phrases() throws {
        var (count, hits): (Int, [String]) = (0, [])
        for document in try Self.documents() + ["SECURITY.md"] where !document.hasPrefix("docs/decisions/") {
            var chapter = ""
            for line in try Self.prose(of: document) {
                if line.text.hasPrefix("## ") { chapter = line.text }
                guard !line.text.hasPrefix("|"), !line.text.hasPrefix("#"), chapter != "## English" else { continue }
                count += 1
                hits += CommentPattern.all.filter { $0.matches(line.text) }
                    .map { "\(document):\(line.number): \($0.name): \(line.text)" }
            }
        }
        #expect(count > 1500)
        #expect(Double(hits.count) <= Double(count) * 2 / 1000, "\(hits)")
    }

    @Test(
        "two sentences in a line are told from one",
        arguments: [
            ("One. Two.", true), ("It ends with 0. A new one begins.", true), ("Is it? Yes.", true),
            ("One sentence.", false), ("1. A step.", false), ("`a. B` is code.", false), ("A (b. C) d.", false),
            ("For example e.g. Redis.", false), ("Swift 6.2 is needed.", false),
        ])
    func detection(line: String, hasTwo: Bool) {
        #expect(Self.hasTwoSentences(line) == hasTwo)
    }

    /// The anchor of a heading, as GitHub makes it.
    private static func anchor(of heading: String) -> String {
        heading.replacing("`", with: "").replacing(/\[([^\]]*)\]\([^)]*\)/, with: { $0.1 }).lowercased()
            .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
            .trimmingCharacters(in: .whitespaces).replacing(" ", with: "-")
    }

    @Test("every relative link leads to a file, and to a heading in it")
    func links() throws {
        var anchors: [String: Set<String>] = [:]
        var count = 0
        for document in try Self.documents() where !document.hasPrefix("Sources") {
            let url = Repository.url(document)
            for line in try Self.prose(of: document) {
                for match in line.text.matches(of: /\]\(([^)\s]+)\)/) where !match.1.contains("://") {
                    let parts = match.1.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                    let target = parts[0].isEmpty ? url : url.deletingLastPathComponent().appending(path: parts[0])
                    let path = target.standardized.path(percentEncoded: false)
                    #expect(FileManager.default.fileExists(atPath: path), "\(document):\(line.number): \(match.1)")
                    count += 1
                    guard parts.count == 2, path.hasSuffix(".md") else { continue }
                    let name = String(path.dropFirst(Repository.path.count + 1))
                    if anchors[name] == nil {
                        let headings = try Self.prose(of: name).map(\.text).filter { $0.hasPrefix("#") }
                        anchors[name] = Set(headings.map { Self.anchor(of: String($0.drop { "# ".contains($0) })) })
                    }
                    #expect(
                        anchors[name]?.contains(String(parts[1])) == true, "\(document):\(line.number): \(match.1)")
                }
            }
        }
        #expect(count > 200)
    }
}
