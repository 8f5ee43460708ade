public import Foundation
import ParleyJSON

/// Creates accounts and sessions, before a ``ChatClient`` exists.
///
/// ```swift
/// let accounts = try ChatAccount(server: URL(string: "https://chat.example.org")!)
/// let credentials = try await accounts.logIn(username: "alice", password: password)
/// ```
public struct ChatAccount: Sendable {
    private let server: ServerAddress
    private let transport: any ChatTransport

    /// Creates an entry point to a server's accounts.
    /// - Parameters:
    ///   - server: The server's address: `http://` or `https://`, a host, and optionally a port.
    ///   - transport: The transport for the requests; `nil` selects the platform's own.
    /// - Throws: ``ChatError/invalid(_:_:)`` if the address is not an HTTP address.
    public init(server: URL, transport: (any ChatTransport)? = nil) throws(ChatError) {
        self.server = try ServerAddress(server)
        self.transport = transport ?? PlatformTransport()
    }

    /// Creates an account and logs in.
    /// - Parameters:
    ///   - username: The name of the account: 1 to 150 letters, digits and `@.+-_`.
    ///   - password: The password, at least 8 characters.
    /// - Returns: The credentials of a new session. Keep them in a safe place, such as the keychain.
    /// - Throws: ``ChatError``; the code is `forbidden` if the name is taken, or if the server creates no accounts.
    public func signUp(username: String, password: String) async throws -> ChatCredentials {
        try await enter("signup", username, password)
    }

    /// Logs in to an existing account.
    /// - Parameters:
    ///   - username: The name of the account.
    ///   - password: The account's password.
    /// - Returns: The credentials of a new session. Keep them in a safe place, such as the keychain.
    /// - Throws: ``ChatError``; the code is `unauthorized` if the name or the password is wrong.
    public func logIn(username: String, password: String) async throws -> ChatCredentials {
        try await enter("login", username, password)
    }

    /// Logs in, or creates the account and logs in if there is no such account.
    ///
    /// Bots, tools and examples can be started repeatedly with it. An app has a button for each instead, since a user
    /// who mistypes their name would get a new account.
    /// - Parameters:
    ///   - username: The name of the account: 1 to 150 letters, digits and `@.+-_`.
    ///   - password: The password, at least 8 characters.
    /// - Returns: The credentials of a new session. Keep them in a safe place, such as the keychain.
    /// - Throws: ``ChatError``; ``ChatError/unauthorized`` if the account exists and has another password, or if the
    ///   server creates no accounts.
    public func logInOrSignUp(username: String, password: String) async throws -> ChatCredentials {
        do {
            return try await logIn(username: username, password: password)
        } catch ChatError.unauthorized {
            do {
                return try await signUp(username: username, password: password)
            } catch ChatError.refused(.forbidden, _) {
                throw ChatError.unauthorized
            }
        }
    }

    /// Ends a session on all devices that use it.
    /// - Parameter credentials: The credentials of the session. Credentials other than a session token are ignored.
    /// - Throws: ``ChatError`` if the server cannot be reached or refuses the request.
    public func logOut(_ credentials: ChatCredentials) async throws {
        guard case .bearer(let token) = credentials else { return }
        let cookie = [(name: "Cookie", value: "sessionid=\(token)")]
        _ = try Engine.content(of: try await send("logout", headers: cookie, body: []))
    }

    /// Returns the user that credentials belong to.
    /// - Parameter credentials: The credentials to check.
    /// - Returns: The profile of the user.
    /// - Throws: ``ChatError``; the code is `unauthorized` if the server refuses the credentials.
    public func user(of credentials: ChatCredentials) async throws -> ChatUser {
        let request = TransportRequest(
            method: "GET", url: server.call(["v1", "me"]), headers: credentials.headers, body: [])
        guard let user = ChatUser(try Engine.content(of: try await send(request))) else {
            throw ChatError.noAnswer("no user")
        }
        return user
    }

    private func enter(_ call: String, _ username: String, _ password: String) async throws -> ChatCredentials {
        let body = JSONTree.object(["username": .text(username), "password": .text(password)])
        let response = try await send(call, headers: [("Content-Type", "application/json")], body: body.json)
        _ = try Engine.content(of: response)
        for header in response.headers where header.name.lowercased() == "set-cookie" {
            if let token = header.value.firstMatch(of: /(?:^|[ ,])sessionid=([^;,]+)/)?.1 {
                return .bearer(String(token))
            }
        }
        throw ChatError.noAnswer("no session")
    }

    private func send(
        _ call: String, headers: [(name: String, value: String)], body: [UInt8]
    ) async throws -> TransportResponse {
        try await send(
            TransportRequest(method: "POST", url: server.call(["auth", call]), headers: headers, body: body))
    }

    private func send(_ request: TransportRequest) async throws -> TransportResponse {
        do {
            return try await transport.send(request)
        } catch {
            throw Task.isCancelled ? CancellationError() : ChatError.offline
        }
    }
}
