import Foundation
import ParleyTestSupport

/// The picture of the targets in docs/ARCHITECTURE.md, a Mermaid flow chart: one subgraph per kind of target, one line
/// per dependency.
struct ArchitecturePicture {
    /// The targets of each kind, by the name of its subgraph.
    let groups: [String: Set<String>]
    /// What each target depends on.
    let arrows: [String: Set<String>]

    /// - Throws: If the document cannot be read.
    init() throws {
        let text = try Repository.text("docs/ARCHITECTURE.md")
        let chart = text.firstMatch(of: /```mermaid\n(?s:(.*?))```/)?.1 ?? ""
        var (groups, arrows): ([String: Set<String>], [String: Set<String>]) = ([:], [:])
        var group = ""
        for line in chart.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == "subgraph", words.count > 1 {
                group = String(words[1])
            } else if words.count == 3, words[1] == "-->" {
                arrows[Self.target(words[0]), default: []].insert(Self.target(words[2]))
            } else if words.count == 1, words[0] != "end" {
                groups[group, default: []].insert(Self.target(words[0]))
            }
        }
        (self.groups, self.arrows) = (groups, arrows)
    }

    /// The picture leaves out the prefix `Parley`.
    private static func target(_ word: Substring) -> String { word == "parley" ? "parley" : "Parley\(word)" }
}
