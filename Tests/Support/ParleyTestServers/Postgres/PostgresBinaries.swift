import Foundation

/// The location of PostgreSQL's programs.
package enum PostgresBinaries {
    /// PostgreSQL is not installed.
    package struct Missing: Error, CustomStringConvertible {
        package var description: String {
            "no PostgreSQL in /usr/lib/postgresql; install it (deploy/install-packages test), or set PARLEY_PG_BIN"
        }
    }

    /// The directory of `postgres`, `initdb` and `psql`: `PARLEY_PG_BIN`, else the newest version installed by Debian.
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
