import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The caller's own sessions: where they are logged in.
func sessionRoutes(_ services: RESTServices) -> [Route] {
    [
        Route(.get, path: "/v1/me/sessions") { request, context in
            let identity = try await services.readingUser(request, context)
            let sessions = try await services.sessions(of: identity.user)
            return .json(.ordered([("sessions", .array(sessions.map { $0.json(isCurrent: identity.uses($0)) }))]))
        },
        Route(.delete, path: "/v1/me/sessions/{session}") { request, context in
            let user = try await services.identity(request, context, changesState: true).user
            let id = RESTServices.pathParameter("session", context)
            guard let session = try await services.sessions(of: user).first(where: { $0.publicID == id }) else {
                throw APIError(.notFound, "no such session")
            }
            try await services.changes.endSession(session.tokenHash, of: user)
            return .nothing()
        },
    ]
}

extension RESTServices {
    private static let maximumSessions = 200

    /// Without those that have expired and are not deleted yet.
    fileprivate func sessions(of user: User) async throws -> [AuthSession] {
        let now = clock.milliseconds
        return try await ports.accounts.sessions(of: user, limit: Self.maximumSessions).filter { $0.expires > now }
    }
}

extension AuthSession {
    /// Digits of the hash in the id; enough to tell the sessions of a user apart.
    private static let idDigits = 16

    fileprivate var publicID: String { String(tokenHash.text.prefix(Self.idDigits)) }

    fileprivate func json(isCurrent: Bool) -> JSONTree {
        .ordered([("id", .text(publicID)), ("expires_ms", .integer(expires)), ("current", .bool(isCurrent))])
    }
}

extension Identity {
    fileprivate func uses(_ session: AuthSession) -> Bool {
        if case .session(let hash, _) = credential { hash == session.tokenHash } else { false }
    }
}
