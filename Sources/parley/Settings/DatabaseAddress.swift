import ParleyAccounts
import ParleyModel
import ParleyPostgres

/// Where messages and accounts are kept.
enum DatabaseAddress: Sendable, CustomStringConvertible {
    case sqlite(path: String)
    case postgres(PostgresSettings)

    /// - Parameter text: `sqlite:PATH`, or `postgres://…` as libpq reads it.
    init(_ text: String, setting: String = "PARLEY_DATABASE (database)") throws(SettingError) {
        let invalid = SettingError(setting: setting, explanation: "allowed is \(Self.allowed)")
        if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            do throws(StoreError) {
                self = .postgres(try PostgresSettings(url: text))
            } catch {
                throw invalid
            }
        } else if text.hasPrefix("sqlite:"), text != "sqlite:" {
            self = .sqlite(path: String(text.dropFirst("sqlite:".count)))
        } else {
            throw invalid
        }
    }

    /// For logs and reports: nothing of a URL, which may hold a password.
    var description: String {
        switch self {
        case .sqlite(let path): path
        case .postgres: "PostgreSQL"
        }
    }

    static let allowed = "sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE"
}
