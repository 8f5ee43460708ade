public import Foundation
import ParleyJSON

/// Signs users up and in, before there is a client.
public struct ChatAccount: Sendable {
    private let server: ServerAddress
    private let transport: any ChatTransport

    /// - Parameters:
    ///   - server: `http://` or `https://`, a host, and optionally a port.
    ///   - transport: `nil` for that of the platform.
    /// - Throws: ``ChatError/invalid(_:)``.
    public init(server: URL, transport: (any ChatTransport)? = nil) throws(ChatError) {
        self.server = try ServerAddress(server)
        self.transport = transport ?? PlatformTransport()
    }

    /// Creates an account.
    /// - Parameters:
    ///   - username: 1 to 150 letters, digits and `@.+-_`.
    ///   - password: At least 8 characters.
    /// - Returns: A session, to be kept in a safe place (the keychain, not a file).
    /// - Throws: ``ChatError``; `forbidden` if the name is taken.
    public func signUp(username: String, password: String) async throws -> ChatCredentials {
        try await enter("signup", username, password)
    }

    /// Begins a session of an account.
    /// - Returns: A session, to be kept in a safe place (the keychain, not a file).
    /// - Throws: ``ChatError``; `unauthorized` for a wrong name or password.
    public func logIn(username: String, password: String) async throws -> ChatCredentials {
        try await enter("login", username, password)
    }

    /// Ends a session: it is void on all devices that use it.
    /// - Throws: ``ChatError``.
    public func logOut(_ credentials: ChatCredentials) async throws {
        guard case .bearer(let token) = credentials else { return }
        let cookie = [(name: "Cookie", value: "sessionid=\(token)")]
        _ = try Engine.content(of: try await send("logout", headers: cookie, body: []))
    }

    /// The user whom credentials belong to.
    /// - Throws: ``ChatError``; `unauthorized` if they are refused.
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
