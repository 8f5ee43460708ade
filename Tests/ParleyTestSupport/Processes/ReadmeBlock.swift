/// A quickstart of the README: the code between the fences after its marker `<!-- quickstart: NAME -->`.
package enum ReadmeBlock {
    /// There is no such block.
    package struct Missing: Error, CustomStringConvertible {
        package let name: String
        package var description: String { "README.md has no block after <!-- quickstart: \(name) -->" }
    }

    /// The names of all blocks, in their order.
    package static func names() throws -> [String] {
        try readme().matches(of: /<!-- quickstart: ([a-z]+) -->/).map { String($0.1) }
    }

    /// The lines of a block, as they stand in the file.
    package static func text(_ name: String) throws -> String {
        let readme = try readme()
        guard let marker = readme.firstRange(of: "<!-- quickstart: \(name) -->\n```") else { throw Missing(name: name) }
        let rest = readme[marker.upperBound...].drop { $0 != "\n" }.dropFirst()
        guard let end = rest.firstRange(of: "\n```\n") else { throw Missing(name: name) }
        return String(rest[..<end.lowerBound]) + "\n"
    }

    private static func readme() throws -> String {
        try Repository.text("README.md")
    }
}
