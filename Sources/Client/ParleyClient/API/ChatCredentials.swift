/// The credentials of a user.
///
/// They are `Codable`, so that an app can keep them in the keychain:
///
/// ```swift
/// let data = try JSONEncoder().encode(credentials)
/// let credentials = try JSONDecoder().decode(ChatCredentials.self, from: data)
/// ```
///
/// The form is an object with `type` and the values of the case; later versions read it. A description contains no
/// secrets.
public enum ChatCredentials: Hashable, Sendable {
    /// A JWT or a session token, which is the value of the cookie `sessionid`.
    case bearer(String)
    /// A name and a password.
    case basic(username: String, password: String)
    /// An API key of a back end and the ID or name of the user that it acts for. Intended for bots.
    case apiKey(String, user: String)
}

extension ChatCredentials: Codable {
    private enum Key: String, CodingKey { case type, token, username, password, key, user }

    private enum Kind: String, Codable {
        case bearer, basic
        case apiKey = "api_key"
    }

    /// Decodes credentials.
    /// - Throws: `DecodingError` if the type is not known or a value is missing.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        func text(_ key: Key) throws -> String { try values.decode(String.self, forKey: key) }
        switch try values.decode(Kind.self, forKey: .type) {
        case .bearer: self = .bearer(try text(.token))
        case .basic: self = .basic(username: try text(.username), password: try text(.password))
        case .apiKey: self = .apiKey(try text(.key), user: try text(.user))
        }
    }

    /// Encodes the credentials, with their secrets.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        switch self {
        case .bearer(let token):
            try values.encode(Kind.bearer, forKey: .type)
            try values.encode(token, forKey: .token)
        case .basic(let username, let password):
            try values.encode(Kind.basic, forKey: .type)
            try values.encode(username, forKey: .username)
            try values.encode(password, forKey: .password)
        case .apiKey(let key, let user):
            try values.encode(Kind.apiKey, forKey: .type)
            try values.encode(key, forKey: .key)
            try values.encode(user, forKey: .user)
        }
    }
}

extension ChatCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the credentials, and the user if they name one.
    public var description: String {
        switch self {
        case .bearer: "a bearer token"
        case .basic(let username, _): "the password of \(username)"
        case .apiKey(_, let user): "an API key for \(user)"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without the secrets.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

/// A closure that returns the user's credentials whenever the client needs them. It can fetch new credentials from a
/// server.
///
/// If the closure returns `nil`, no credentials are available and the client is ``ConnectionState/loggedOut(_:)``. If
/// it throws, credentials are unavailable at the moment, and the client stays offline and tries again.
///
/// ```swift
/// let provider: CredentialProvider = { reason in
///     reason == .expired ? .bearer(try await fetchToken()) : .bearer(savedToken)
/// }
/// ```
public typealias CredentialProvider = @Sendable (CredentialReason) async throws -> ChatCredentials?
