/// A quickstart of the README, docs/quickstarts.md or docs/examples.md: the code between the fences after its marker
/// `<!-- quickstart: NAME -->`.
package enum Quickstart {
    /// No document has a block with this name.
    package struct Missing: Error, CustomStringConvertible {
        package let name: String
        package var description: String { "no document has a block after <!-- quickstart: \(name) -->" }
    }

    /// The names of all blocks, in their order.
    package static func names() throws -> [String] {
        try documents().matches(of: /<!-- quickstart: ([a-z]+) -->/).map { String($0.1) }
    }

    /// The lines of a block, unchanged.
    package static func text(_ name: String) throws -> String {
        let text = try documents()
        guard let marker = text.firstRange(of: "<!-- quickstart: \(name) -->\n```") else { throw Missing(name: name) }
        let rest = text[marker.upperBound...].drop { $0 != "\n" }.dropFirst()
        guard let end = rest.firstRange(of: "\n```\n") else { throw Missing(name: name) }
        return String(rest[..<end.lowerBound]) + "\n"
    }

    private static func documents() throws -> String {
        try ["README.md", "docs/quickstarts.md", "docs/examples.md"].map(Repository.text).joined()
    }
}
