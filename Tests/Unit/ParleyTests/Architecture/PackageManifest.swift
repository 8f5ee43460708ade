import Foundation
import ParleyTestSupport

/// The targets of Package.swift as its text states them, and the imports of their sources.
///
/// It reads the text instead of asking SwiftPM, which would wait for the build that runs this test.
struct PackageManifest {
    /// A target of this package.
    struct Target {
        let name: String
        /// Its folder, from the root of the package.
        let path: String
        /// Its dependencies on targets of this package.
        let dependencies: Set<String>
        /// The names of the constants for products of other packages in its dependencies.
        let products: Set<String>
        /// The line above the target, if it is a comment.
        let purpose: String?

        /// The folder of `Sources` or `Tests` that it is in.
        var group: String { String(path.split(separator: "/").dropFirst().first ?? "") }
    }

    let targets: [Target]
    /// The targets under Tests/.
    let tests: [Target]

    /// - Throws: If Package.swift cannot be read.
    init() throws {
        let text = try Repository.text("Package.swift")
        targets = Self.targets(in: text, under: "Sources")
        tests = Self.targets(in: text, under: "Tests")
    }

    private static func targets(in text: String, under root: String) -> [Target] {
        text.ranges(of: /\n *\.(target|executableTarget|testTarget)\(/).compactMap { range in
            let body = balanced(text[range.upperBound...], open: "(", close: ")")
            guard let name = body.firstMatch(of: /name: "([\w-]+)"/)?.1,
                let path = body.firstMatch(of: /path: "([\w\/-]+)"/)?.1, path.hasPrefix(root + "/")
            else { return nil }
            let list = body.firstRange(of: "dependencies: [").map {
                balanced(body[$0.upperBound...], open: "[", close: "]")
            }
            let names = (list ?? "").matches(of: /"(\w+)"/).map { String($0.1) }
            let products = (list ?? "").replacing(/"\w+"/, with: "").matches(of: /\w+/).map { String($0.0) }
            let above = text[..<range.lowerBound].split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
            let line = above.trimmingCharacters(in: .whitespaces)
            return Target(
                name: String(name), path: String(path), dependencies: Set(names), products: Set(products),
                purpose: line.hasPrefix("// ") ? line : nil)
        }
    }

    /// `text` up to the bracket that closes one already opened.
    private static func balanced(_ text: Substring, open: Character, close: Character) -> Substring {
        var depth = 1
        for index in text.indices {
            if text[index] == open { depth += 1 }
            if text[index] == close { depth -= 1 }
            if depth == 0 { return text[..<index] }
        }
        return text
    }

    /// The Swift files of a folder of the package, at any depth.
    func sources(in folder: String) -> [URL] {
        let enumerator = FileManager.default.enumerator(
            at: Repository.url(folder), includingPropertiesForKeys: nil)
        return (enumerator?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
    }

    /// The Swift files of a target.
    func sources(of target: String) throws -> [URL] { sources(in: try Repository.path(inTarget: target)) }

    /// The modules that the sources of `target` import.
    func imports(of target: String) throws -> Set<String> {
        try sources(of: target).reduce(into: []) { $0.formUnion(try imports(of: $1)) }
    }

    /// The modules that a source file imports.
    func imports(of file: URL) throws -> Set<String> {
        let statement =
            /^ *(?:@\w+(?:\(\w+\))? +)*(?:(?:package|public|internal|private|fileprivate) +)?import +(?:(?:struct|class|enum|protocol|func|var|let|typealias) +)?(\w+)/
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        return Set(lines.compactMap { $0.firstMatch(of: statement).map { String($0.1) } })
    }
}
