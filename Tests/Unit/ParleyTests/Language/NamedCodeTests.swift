import Foundation
import ParleyTestSupport
import Testing

/// The files and symbols that documents name are in the code.
///
/// A path in backticks begins with a target, or with `Sources` or `Tests`. Symbols are named after the path, as in
/// "`ParleyWire/Line/GuestName.swift` (`maximumLength`)", or before it, as in "`GuestName` in `ParleyWire/Line`".
@Suite struct NamedCodeTests {
    private struct Mention {
        /// The path of a file or folder, as the document gives it.
        let path: String
        /// The symbols that the document looks for there.
        let symbols: [String]

        /// The path from the root of the repository; `nil` if there is no such file or folder.
        var location: String? {
            let isFromRoot = ["Sources/", "Tests/"].contains { path.hasPrefix($0) }
            guard let location = isFromRoot ? path : try? Repository.path(inTarget: path) else { return nil }
            return Repository.exists(location) ? location : nil
        }
    }

    private static func mentions(in text: String) -> [Mention] {
        let after =
            /`((?:Parley\w+|parley|CWebClient|\w+IntegrationTests|FaultTests|Sources|Tests)\/[\w\/+.-]+)`(?: \((`.+?`)\))?/
        let before = /((?:`[\w.]+`(?:, )?)+) in `((?:Parley\w+|parley|CWebClient)[\w\/+.-]*)`/
        return text.matches(of: after).map { Mention(path: String($0.1), symbols: spans(in: $0.2 ?? "")) }
            + text.matches(of: before).map { Mention(path: String($0.2), symbols: spans(in: $0.1)) }
    }

    private static func spans(in text: Substring) -> [String] { text.matches(of: /`([^`]+)`/).map { String($0.1) } }

    private static func words(in text: String) -> Set<Substring> { Set(text.matches(of: /\w+/).map(\.0)) }

    /// The words of a file, or of all files below a folder.
    private static func words(at location: String) throws -> Set<Substring> {
        let url = Repository.url(location)
        // Of a file, Foundation lists nothing on Linux.
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: url.path())) ?? []
        if paths.isEmpty { return words(in: try Repository.text(location)) }
        return paths.reduce(into: []) { found, path in
            let text = try? String(contentsOf: url.appending(path: path), encoding: .utf8)
            found.formUnion(words(in: text ?? ""))
        }
    }

    @Test(
        "every file, folder and symbol that a document names is there",
        arguments: [
            ("CONTRIBUTING.md", 40), ("docs/glossary.md", 80), ("docs/ARCHITECTURE.md", 4),
            ("docs/message-path.md", 40),
        ])
    func named(document: String, atLeast count: Int) throws {
        let mentions = Self.mentions(in: try Repository.text(document))
        #expect(mentions.count >= count)
        var known: [String: Set<Substring>] = [:]
        for mention in mentions {
            let location = try #require(mention.location, "\(document): \(mention.path)")
            guard !mention.symbols.isEmpty else { continue }
            let words = try known[location] ?? Self.words(at: location)
            known[location] = words
            for symbol in mention.symbols {
                #expect(
                    Self.words(in: symbol).isSubset(of: words), "\(document): \(mention.path) has no \(symbol)")
            }
        }
    }

    @Test("the five walks of CONTRIBUTING.md begin with their place, and name its symbols")
    func walks() throws {
        let text = try Repository.text("CONTRIBUTING.md")
        let chapter = try #require(text.split(separator: "\n### Five rules and their places\n").last)
            .split(separator: "\n### ")[0]
        let walks = chapter.split(separator: "\n\n**").dropFirst()
        #expect(walks.count == 5)
        for walk in walks {
            let place = try #require(walk.split(separator: "\n").dropFirst().first)
            let mention = try #require(Self.mentions(in: String(place)).first, "\(place)")
            #expect(mention.path.hasSuffix(".swift") && !mention.symbols.isEmpty, "\(place)")
            #expect(walk.contains("\n1. "), "\(place)")
        }
    }
}
