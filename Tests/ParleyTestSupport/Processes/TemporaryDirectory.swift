import Foundation

/// A directory of its own that goes when this object goes.
///
/// It stays for a look if `PARLEY_KEEP_TEST_FILES` is set.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "parley-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path(percentEncoded: false)
    }

    deinit { remove() }

    /// Removes it before this object goes.
    package func remove() {
        guard ProcessInfo.processInfo.environment["PARLEY_KEEP_TEST_FILES"] == nil else { return }
        try? FileManager.default.removeItem(atPath: path)
    }
}
