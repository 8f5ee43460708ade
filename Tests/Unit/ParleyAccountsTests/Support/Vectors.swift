import Foundation

/// Vectors made with Django itself.
struct Vectors: Decodable {
    struct Cookie: Decodable, Sendable {
        var header: String
        var sessionid: String?
    }

    struct Password: Decodable, Sendable, CustomStringConvertible {
        var name: String
        var password: String?
        var encoded: String
        var valid: Bool
        var wrongPassword: String?

        var description: String { name }

        /// Django verifies other algorithms too; Parley does not, and then nothing matches.
        var isOurs: Bool { ["pbkdf2_sha256$", "pbkdf2_sha1$", "scrypt$"].contains { encoded.hasPrefix($0) } }
    }

    /// A session in the database, and the user Django resolves it to.
    struct RowSession: Decodable, Sendable, CustomStringConvertible {
        struct Row: Decodable, Sendable {
            var sessionKey: String
            var sessionData: String
            var expireDate: String
        }

        var name: String
        var cookie: String
        var row: Row?
        var expectedUserIdDjango: String?

        var description: String { name }
    }

    /// A session in its cookie, the user Django resolves it to, and when.
    struct CookieSession: Decodable, Sendable, CustomStringConvertible {
        var name: String
        var cookie: String
        /// Unix seconds.
        var now: Int64
        var expectedUserIdDjango: String?

        var description: String { name }
    }

    struct User: Decodable, Sendable {
        var id: Int
        var username: String
        var isActive: Bool
        var password: String
    }

    struct Meta: Decodable {
        var secretKey: String
        var secretKeyFallbacks: [String]
    }

    struct RowSessions: Decodable { var vectors: [RowSession] }
    struct CookieSessions: Decodable { var vectors: [CookieSession] }
    struct Cookies: Decodable { var vectors: [Cookie] }
    struct Passwords: Decodable {
        var vectors: [Password]
        var neverValid: [Password]
    }

    var meta: Meta
    var users: [User]
    var dbSessions: RowSessions
    var signedCookieSessions: CookieSessions
    var cookieHeader: Cookies
    var passwords: Passwords

    static func load() throws -> Vectors {
        guard let url = Bundle.module.url(forResource: "Vectors/django_auth", withExtension: "json") else {
            throw CocoaError(.fileNoSuchFile)
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Vectors.self, from: Data(contentsOf: url))
    }
}
