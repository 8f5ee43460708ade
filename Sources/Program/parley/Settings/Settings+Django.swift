import Foundation
import Logging
import ParleyAccounts
import ParleyModel
import ParleyPostgres
import ParleySQLite

/// A Django site whose sessions count as logins.
struct DjangoSite: Sendable {
    var sessions: DjangoSettings
    var database: DatabaseAddress
    var model: DjangoUserModel
}

extension Settings {
    /// `nil` while no secret key is set.
    static func django(_ reader: inout SettingsReader, _ database: DatabaseAddress) -> DjangoSite? {
        let key = reader.optionalText(
            "django.secret_key", allowed: "Django's `SECRET_KEY`", "Turns Django sessions on.", secrecy: .secret)
        let fallbacks = reader.optionalText(
            "django.secret_key_fallbacks", allowed: "comma-separated keys", "Django's `SECRET_KEY_FALLBACKS`.",
            secrecy: .secret)
        let address = reader.optionalText(
            "django.database", allowed: DatabaseAddress.allowed, standard: "the value of PARLEY_DATABASE",
            "Django's database of sessions and users; it is only read.", secrecy: .url)
        let cookie = reader.text(
            "django.session_cookie", "sessionid", allowed: "the name of a cookie", "Django's `SESSION_COOKIE_NAME`.",
            isAllowed: isCookieName)
        let recheck = reader.integer(
            "django.recheck_seconds", 10, in: 1...3600,
            "Maximum time until the sockets of a session that has ended in Django close, in seconds.")
        let cookieAge = reader.integer(
            "django.session_cookie_age", 1_209_600, in: 1...315_360_000,
            "Django's `SESSION_COOKIE_AGE` in seconds, for sessions that are in the cookie itself (`signed_cookies`).")
        let backends = reader.text(
            "django.authentication_backends", "django.contrib.auth.backends.ModelBackend",
            allowed: "comma-separated names", "Django's `AUTHENTICATION_BACKENDS`.")
        let table = reader.text(
            "django.user_table", DjangoUserModel.standard.table,
            allowed: "a table, or schema.table, of A-Z a-z 0-9 _", "The `db_table` of Django's `AUTH_USER_MODEL`.",
            isAllowed: { DjangoUserModel(table: $0, usernameColumn: "username") != nil })
        let column = reader.text(
            "django.username_column", DjangoUserModel.standard.usernameColumn,
            allowed: "a column of A-Z a-z 0-9 _", "The `USERNAME_FIELD` of that model.",
            isAllowed: { DjangoUserModel(table: "t", usernameColumn: $0) != nil })
        let site = address.flatMap(DatabaseAddress.init)
        if address != nil, site == nil { reader.rejectValue(of: "django.database") }
        guard let key else { return nil }
        // A blank key is no secret: anyone could sign sessions with it.
        guard !key.allSatisfy(\.isWhitespace) else {
            reader.reject("django.secret_key", "is blank; expected Django's SECRET_KEY")
            return nil
        }
        var sessions = DjangoSettings(secretKey: Secret(text: key))
        sessions.fallbacks = list(fallbacks ?? "").map { Secret(text: $0) }
        sessions.cookie = cookie
        sessions.cookieAge = cookieAge
        sessions.backends = Set(list(backends))
        sessions.recheck = .seconds(recheck)
        return DjangoSite(
            sessions: sessions,
            database: site ?? database,
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
            // Look-ups are batched, so few are under way.
            settings.connections = 2
            // A hanging statement must not delay the check for ended sessions.
            settings.statementLimit = max(.seconds(1), min(.seconds(5), sessions.recheck / 2))
            settings.replyLimit = settings.statementLimit + .seconds(1)
            settings.waitLimit = settings.replyLimit
            return PostgresDjango(settings, model: model, logger: logger)
        }
    }
}
