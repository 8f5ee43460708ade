import Foundation
import ParleyTestSupport
import Testing

/// docs/traps.md lists every place of the code that can end the process, with the reason why no input reaches it.
@Suite struct TrapTests {
    /// A construct that traps.
    private struct Construct {
        let name: String
        /// One of them is on a line with the construct. Much faster than the pattern.
        let hints: [String]
        let pattern: Regex<Substring>
        /// Whether it is looked for in programs of users and developers, too.
        let isEverywhere: Bool
    }

    // A `Regex` cannot be shared by tasks.
    private let constructs = [
        Construct(
            name: "precondition", hints: ["precondition", "fatalError(", "assert"],
            pattern: /\b(?:precondition|preconditionFailure|fatalError|assert|assertionFailure)\(/, isEverywhere: true),
        Construct(
            name: "unwrap", hints: ["boundIn("], pattern: /\bunwrap(?:In|Out)boundIn\(/, isEverywhere: true),
        Construct(name: "keys", hints: ["uniqueKeys"], pattern: /uniqueKeysWithValues/, isEverywhere: true),
        Construct(
            name: "index", hints: ["..", " + ", " - ", " * "],
            pattern: /[A-Za-z0-9_)]\[(?!\.\.\.\])[^\[\]]*(?: [-+*] |\.\.\.|\.\.<)[^\[\]]*\]/, isEverywhere: false),
        Construct(
            name: "narrow", hints: ["Int8(", "Int16(", "Int32("],
            pattern:
                /\bU?Int(?:8|16|32)\((?!ascii|truncatingIfNeeded|clamping|exactly|bitPattern|bigEndian|littleEndian)/,
            isEverywhere: false),
        Construct(
            name: "product", hints: [" * ", " *= "],
            pattern: /[A-Za-z0-9_)\]] \*=? [A-Za-z_(]|[A-Za-z_)\]] \*=? [0-9]/, isEverywhere: false),
    ]

    /// The targets that no server runs, and the program, whose input is its operator's.
    private static let tools: Set = [
        "ParleyBots", "ParleyClient", "ParleyClientCore", "ParleyClientObservation", "ParleyClientTesting",
        "ParleyConformance", "ParleyRedisModel",
        "ParleySimulator", "ParleyStoreModel", "ParleyTerminal", "parley", "parley-sim",
    ]

    /// What prints the value that it finds.
    private let forbidden = /\btry!|\bas!|[A-Za-z0-9_)\]?>]!(?![=A-Za-z0-9_])/

    private struct Place: Hashable, CustomStringConvertible {
        let file: String
        let construct: String

        var description: String { "\(file): \(construct)" }
    }

    /// The Swift files of `Sources`, by their path from the folder of their group, which begins with the target.
    private static func sources() throws -> [(path: String, code: SourceCode)] {
        let root = Repository.url("Sources")
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }.map { file in
            let path = file.path().dropFirst(root.path().count).drop { $0 == "/" }
            let inGroup = path.drop { $0 != "/" }.dropFirst()
            return (String(inGroup), SourceCode(try String(contentsOf: file, encoding: .utf8)))
        }
    }

    private func places() throws -> Set<Place> {
        var places: Set<Place> = []
        for (path, code) in try Self.sources() {
            let isTool = Self.tools.contains(String(path.prefix { $0 != "/" }))
            for construct in constructs where construct.isEverywhere || !isTool {
                let isThere = code.lines.contains { line in
                    construct.hints.contains { line.contains($0) } && line.contains(construct.pattern)
                }
                if isThere { places.insert(Place(file: path, construct: construct.name)) }
            }
        }
        return places
    }

    /// The rows of the document's tables: a file, its constructs, the reason.
    private static func rows() throws -> [(file: String, constructs: [String], reason: String)] {
        let document = try Repository.text("docs/traps.md")
        let chapter = try #require(document.split(separator: "\n## Places\n").last)
        return chapter.matches(of: /\n\| `([^`]+)` \| ([a-z, ]+) \| (.+) \|/).map { match in
            (String(match.1), match.2.split(separator: ", ").map(String.init), String(match.3))
        }
    }

    @Test("every place has one row, and every row its place")
    func complete() throws {
        let rows = try Self.rows()
        let listed = rows.flatMap { row in row.constructs.map { Place(file: row.file, construct: $0) } }
        #expect(listed.count > 100)
        #expect(Set(listed).count == listed.count, "listed twice")
        #expect(Set(rows.map(\.file)).count == rows.count, "a file has two rows")
        let places = try places()
        #expect(places.subtracting(listed).isEmpty, "places without a row")
        #expect(Set(listed).subtracting(places).isEmpty, "rows without a place")
        for row in rows { #expect(row.reason.count > 10 && row.reason.hasSuffix("."), "\(row.file)") }
    }

    @Test("nothing is forced, since what is found instead would be printed")
    func forced() throws {
        for (path, code) in try Self.sources() {
            for line in code.lines where line.contains("!") {
                #expect(!line.contains(forbidden), "\(path): \(line)")
            }
        }
    }

    /// Release builds have no assertions.
    @Test("messages of fatal errors are constants")
    func messages() throws {
        let pattern = /\b(?:precondition|preconditionFailure|fatalError)\(.*\\\(/
        for file in try FileManager.default.subpathsOfDirectory(atPath: Repository.url("Sources").path())
        where file.hasSuffix(".swift") {
            for line in try Repository.text("Sources/\(file)").split(separator: "\n") where line.contains("\\(") {
                #expect(!line.contains(pattern), "\(file): \(line)")
            }
        }
    }

    @Test("every file that the document names is there")
    func files() throws {
        let document = try Repository.text("docs/traps.md")
        let names = document.matches(of: /`((?:Parley\w+|parley)\/[\w\/+]+(?:\.swift)?)`/).map { String($0.1) }
        #expect(names.count > 100)
        for name in Set(names) {
            #expect(Repository.exists(try Repository.path(inTarget: name)), "\(name)")
        }
    }

    @Test("a backtrace of an installed node has no registers, which show memory")
    func backtraces() throws {
        let files = [
            "deploy/Dockerfile", "deploy/systemd/parley-gateway@.service", "deploy/systemd/parley-persister@.service",
        ]
        for file in files { #expect(try Repository.text(file).contains("SWIFT_BACKTRACE=registers=none"), "\(file)") }
    }

    @Test("the code of a file has no comments and no strings")
    func code() {
        let text = """
            let a = "x[1 + 2] \\("y" + b[1...2])" // c[1 + 2]
            /* d[1 + 2]
            */ let e = #"f"[1 + 2]"# + g[1 + 2]
            """
        #expect(SourceCode(text).lines == ["let a = \"\" ", "", " let e = \"\" + g[1 + 2]"])
    }
}
