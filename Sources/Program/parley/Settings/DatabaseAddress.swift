import Foundation
import ParleyPostgres

/// Where messages and accounts are stored.
enum DatabaseAddress: Sendable, CustomStringConvertible {
    case sqlite(path: String)
    case postgres(PostgresSettings)

    static let allowed = "sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE"

    /// - Parameter text: `sqlite:PATH`, or `postgres://…` as libpq reads it; `nil` for anything else.
    init?(_ text: String) {
        if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            guard let settings = try? PostgresSettings(url: text) else { return nil }
            self = .postgres(settings)
        } else if text.hasPrefix("sqlite:"), text != "sqlite:" {
            self = .sqlite(path: String(text.dropFirst("sqlite:".count)))
        } else {
            return nil
        }
    }

    /// For logs and reports: nothing of a URL, which may contain a password.
    var description: String {
        switch self {
        case .sqlite(let path): path
        case .postgres: "PostgreSQL"
        }
    }

    /// The reason that no SQLite file can be in its directory; `nil` if one can.
    var directoryError: String? {
        guard case .sqlite(let path) = self else { return nil }
        // Without the slash at its end.
        let directory = (URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false) as NSString)
            .standardizingPath
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory) else {
            return "the directory \(directory) of \(path) does not exist; create it, or choose another path"
        }
        guard isDirectory.boolValue else {
            return "\(directory) in \(path) is not a directory; choose another path"
        }
        guard FileManager.default.isWritableFile(atPath: directory) else {
            return
                "the directory \(directory) of \(path) is not writable; change its permissions, or choose another path"
        }
        return nil
    }
}
