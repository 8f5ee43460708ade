import Foundation

/// Where PostgreSQL's programs are.
package enum PostgresBinaries {
    /// There is no PostgreSQL.
    package struct Missing: Error, CustomStringConvertible {
        package var description: String {
            "no PostgreSQL in /usr/lib/postgresql; install it (deploy/install-packages test), or set PARLEY_PG_BIN"
        }
    }

    /// The directory with `postgres`, `initdb` and `psql`: `PARLEY_PG_BIN`, else the newest that Debian has installed.
    package static func directory() throws -> String {
        if let path = ProcessInfo.processInfo.environment["PARLEY_PG_BIN"] { return path }
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        let paths = versions.sorted(by: >).map { "\(root)/\($0)/bin" }
        guard let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }) else {
            throw Missing()
        }
        return path
    }
}
