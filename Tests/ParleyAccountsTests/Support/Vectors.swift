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

        /// Django verifies others too; we do not, and then nothing is right.
        var isOurs: Bool { ["pbkdf2_sha256$", "pbkdf2_sha1$", "scrypt$"].contains { encoded.hasPrefix($0) } }
    }

    struct Cookies: Decodable { var vectors: [Cookie] }
    struct Passwords: Decodable {
        var vectors: [Password]
        var neverValid: [Password]
    }

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
