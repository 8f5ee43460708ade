import Foundation
import ParleyTestSupport

/// The picture in docs/ARCHITECTURE.md, a Mermaid flow chart: a box for each folder of `Sources`, and an arrow for each
/// dependency between targets of two folders.
struct ArchitecturePicture {
    /// The targets that each box lists, by the name of its folder.
    let groups: [String: Set<String>]
    /// The folders that each folder depends on.
    let arrows: [String: Set<String>]

    /// - Throws: If the document cannot be read.
    init() throws {
        let text = try Repository.text("docs/ARCHITECTURE.md")
        let chart = text.firstMatch(of: /```mermaid\n(?s:(.*?))```/)?.1 ?? ""
        var (groups, arrows): ([String: Set<String>], [String: Set<String>]) = ([:], [:])
        for line in chart.split(separator: "\n") {
            if let box = line.firstMatch(of: /^ +(\w+)\["<b>\w+<\/b><br>(.*)"\]$/) {
                groups[String(box.1)] = Set(box.2.split(separator: ", ").map(Self.target))
            } else if let arrow = line.firstMatch(of: /^ +(\w+) --> (\w+(?: & \w+)*)$/) {
                arrows[String(arrow.1), default: []].formUnion(arrow.2.split(separator: " & ").map(String.init))
            }
        }
        (self.groups, self.arrows) = (groups, arrows)
    }

    /// The picture leaves out the prefix `Parley`.
    private static func target(_ word: Substring) -> String {
        word.hasPrefix("parley") ? String(word) : "Parley\(word)"
    }
}
