import Foundation

/// A directory that is removed when this object is released.
///
/// It is kept if `PARLEY_KEEP_TEST_FILES` is set.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "parley-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path(percentEncoded: false)
    }

    deinit { remove() }

    /// Removes the directory before this object is released.
    package func remove() {
        guard ProcessInfo.processInfo.environment["PARLEY_KEEP_TEST_FILES"] == nil else { return }
        try? FileManager.default.removeItem(atPath: path)
    }
}
