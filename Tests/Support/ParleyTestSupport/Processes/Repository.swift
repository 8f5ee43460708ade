package import Foundation

/// The checkout that the tests were built from.
package enum Repository {
    package static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized

    /// The path of `root`, without a slash at its end.
    package static var path: String {
        let path = root.path(percentEncoded: false)
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The URL of a file, by its path from the root.
    package static func url(_ path: String) -> URL { root.appending(path: path) }

    /// The path from the root of a file or folder of a target, by its path from the folder of its group. For example,
    /// `ParleyRedis/Log` is `Sources/Adapters/ParleyRedis/Log`.
    ///
    /// - Throws: ``NoSuchTarget`` if no folder of `Sources` or `Tests` has the target.
    package static func path(inTarget path: String) throws -> String {
        let target = String(path.prefix { $0 != "/" })
        for root in ["Sources", "Tests"] {
            let groups = try FileManager.default.contentsOfDirectory(atPath: url(root).path())
            let folders = [root] + groups.sorted().map { "\(root)/\($0)" }
            if let folder = folders.first(where: { exists("\($0)/\(target)") }) { return "\(folder)/\(path)" }
        }
        throw NoSuchTarget(name: target)
    }

    /// A Boolean value that indicates whether there is a file or folder, by its path from the root.
    package static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: url(path).path()) }

    /// A target without a folder.
    package struct NoSuchTarget: Error {
        /// The name of the target.
        package let name: String
    }

    /// The text of a file, by its path from the root.
    package static func text(_ path: String) throws -> String { try String(contentsOf: url(path), encoding: .utf8) }
}
