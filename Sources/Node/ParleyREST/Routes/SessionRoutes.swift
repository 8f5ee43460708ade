import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The caller's own sessions, one for each login.
func sessionRoutes(_ services: RESTServices) -> [Route] {
    [
        Route(.get, path: "/v1/me/sessions", for: .user, budget: .lists) { request, context in
            .json(try await services.sessions(of: context.caller, request.queryFields()))
        },
        Route(.delete, path: "/v1/me/sessions", for: .user) { _, context in
            try await services.messaging.endOtherSessions(of: Caller(context.caller))
            return .nothing()
        },
        Route(.delete, path: "/v1/me/sessions/{session}", for: .user) { _, context in
            guard let id = context.parameter("session"), AuthSession.isPublicID(id) else {
                throw Messaging.noSession
            }
            try await services.messaging.endSession(hashPrefix: id, by: Caller(context.caller))
            return .nothing()
        },
    ]
}

extension RESTServices {
    /// The maximum number of sessions in a page, which is also the default.
    private static let maximumSessions: Int64 = 200

    fileprivate func sessions(of identity: Identity, _ fields: Fields) async throws -> JSONTree {
        let limit = Int(try fields.number("limit", from: 1, upTo: Self.maximumSessions) ?? Self.maximumSessions)
        let place = try fields.cursor { SessionPlace(cursor: $0) }
        let sessions = try await messaging.sessions(of: Caller(identity), after: place, limit: limit)
        return .ordered([
            ("sessions", .array(sessions.elements.map { $0.json(isCurrent: identity.uses($0)) })),
            ("next_cursor", sessions.last.map { .text("\($0.expires).\($0.publicID)") } ?? .null),
        ])
    }
}

extension SessionPlace {
    /// Parses the cursor `<expiry>.<id>` of the session after which a page begins.
    fileprivate init?(cursor: String) {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let expires = Int64(parts[0]), AuthSession.isPublicID(parts[1]) else { return nil }
        // This hash is greater than all hashes that begin with the id.
        self.init(expires: expires, hash: parts[1] + "~")
    }
}

extension AuthSession {
    /// The number of digits of the hash in an id, enough to distinguish the sessions of a user.
    private static let idDigits = 16

    fileprivate static func isPublicID(_ text: String) -> Bool {
        text.utf8.count == idDigits
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

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
