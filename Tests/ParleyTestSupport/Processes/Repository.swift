package import Foundation

/// The checkout that the tests were built from.
package enum Repository {
    package static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    /// The path of `root`, without a slash at its end.
    package static var path: String {
        let path = root.path(percentEncoded: false)
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The URL of a file, by its path from the root.
    package static func url(_ path: String) -> URL { root.appending(path: path) }

    /// The text of a file, by its path from the root.
    package static func text(_ path: String) throws -> String { try String(contentsOf: url(path), encoding: .utf8) }
}
