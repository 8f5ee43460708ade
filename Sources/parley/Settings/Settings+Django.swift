import Foundation
import Logging
import ParleyAccounts
import ParleyModel
import ParleyPostgres
import ParleySQLite

/// A Django site whose sessions are taken.
struct DjangoSite: Sendable {
    var sessions: DjangoSettings
    var database: DatabaseAddress
    var model: DjangoUserModel
}

extension Settings {
    /// `nil` while no secret key is set.
    static func django(
        _ reader: inout SettingsReader, _ database: DatabaseAddress
    ) throws(SettingError) -> DjangoSite? {
        let key = try reader.optionalText(
            "django.secret_key", allowed: "Django's `SECRET_KEY`", "Turns Django sessions on. Secret.")
        let fallbacks = try reader.optionalText(
            "django.secret_key_fallbacks", allowed: "keys divided by commas",
            "Django's `SECRET_KEY_FALLBACKS`. Secret.")
        let address = try reader.optionalText(
            "django.database", allowed: DatabaseAddress.allowed, standard: "the value of PARLEY_DATABASE",
            "Where Django keeps sessions and users; only read. Secret if it has a password.")
        let cookie = try reader.text(
            "django.session_cookie", "sessionid", allowed: "the name of a cookie", "Django's `SESSION_COOKIE_NAME`.",
            isAllowed: isCookieName)
        let recheck = try reader.integer(
            "django.recheck_seconds", 10, in: 1...3600,
            "In what time a session that has ended in Django closes its sockets.")
        let cookieAge = try reader.integer(
            "django.session_cookie_age", 1_209_600, in: 1...315_360_000,
            "Django's `SESSION_COOKIE_AGE` in seconds, for sessions that are in the cookie itself (`signed_cookies`).")
        let backends = try reader.text(
            "django.authentication_backends", "django.contrib.auth.backends.ModelBackend",
            allowed: "names divided by commas", "Django's `AUTHENTICATION_BACKENDS`.")
        let table = try reader.text(
            "django.user_table", DjangoUserModel.standard.table,
            allowed: "a table, or schema.table, of A-Z a-z 0-9 _", "The `db_table` of Django's `AUTH_USER_MODEL`.",
            isAllowed: { DjangoUserModel(table: $0, usernameColumn: "username") != nil })
        let column = try reader.text(
            "django.username_column", DjangoUserModel.standard.usernameColumn,
            allowed: "a column of A-Z a-z 0-9 _", "The `USERNAME_FIELD` of that model.",
            isAllowed: { DjangoUserModel(table: "t", usernameColumn: $0) != nil })
        guard let key else { return nil }
        // Whoever knows that a key is blank could sign.
        guard !key.allSatisfy(\.isWhitespace) else {
            throw SettingError(
                setting: "PARLEY_DJANGO_SECRET_KEY (django.secret_key)", explanation: "is blank; allowed is a key")
        }
        var sessions = DjangoSettings(secretKey: Secret(text: key))
        sessions.fallbacks = list(fallbacks ?? "").map { Secret(text: $0) }
        sessions.cookie = cookie
        sessions.cookieAge = cookieAge
        sessions.backends = Set(list(backends))
        sessions.recheck = .seconds(recheck)
        return DjangoSite(
            sessions: sessions,
            database: try address.map { text throws(SettingError) in
                try DatabaseAddress(text, setting: "PARLEY_DJANGO_DATABASE (django.database)")
            } ?? database,
            model: DjangoUserModel(table: table, usernameColumn: column) ?? .standard)
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// RFC 6265 §4.1.1: a token of HTTP.
    private static func isCookieName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"()<>@,;:\\\"/[]?={}".utf8.contains($0) }
    }
}

extension DjangoSite {
    func open(logger: Logger) throws(StoreError) -> any DjangoDirectory {
        switch database {
        case .sqlite(let path): return try SQLiteDjango(path: path, model: model)
        case .postgres(var settings):
            // Look-ups are gathered, so few are under way.
            settings.connections = 2
            // One that hangs must not hold up those who look for ended sessions.
            settings.statementLimit = max(.seconds(1), min(.seconds(5), sessions.recheck / 2))
            settings.replyLimit = settings.statementLimit + .seconds(1)
            settings.waitLimit = settings.replyLimit
            return PostgresDjango(settings, model: model, logger: logger)
        }
    }
}
