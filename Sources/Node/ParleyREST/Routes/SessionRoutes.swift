import HTTPTypes
import Hummingbird
import Logging
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The caller's own sessions, one for each login.
func sessionRoutes(_ services: RESTServices) -> [Route] {
    [
        Route(.get, path: "/v1/me/sessions", for: .user, budget: .lists) { request, context in
            let (page, caller) = (try SessionPage(request), Caller(context.caller))
            let sessions = try await services.messaging.sessions(of: caller, after: page.after, limit: page.limit)
            return .json(JSONTree(sessions, current: context.caller.session))
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

/// The sessions of any user, for operators.
func userSessionRoutes(_ services: RESTServices) -> [Route] {
    let (messaging, path) = (services.messaging, "/v1/admin/users/{user}/sessions")
    let administration = Administration(services, Cluster(services))
    @Sendable func log(_ context: CallContext<Operator>, _ user: User) {
        context.logger.notice(
            "sessions ended", metadata: ["operator": "\(context.caller.name)", "user": "\(user.id)"])
    }
    return [
        Route(.get, path: path, for: .operator, budget: .lists) { request, context in
            let page = try SessionPage(request)
            let user = try await messaging.knownUser(services.userReference(context))
            let sessions = try await messaging.sessions(
                of: user, after: page.after, limit: page.limit, for: context.caller)
            return .json(JSONTree(sessions, current: context.caller.session))
        },
        Route(.delete, path: path, for: .operator) { _, context in
            let user = try await messaging.knownUser(services.userReference(context))
            let report = try await administration.endSessions(of: user, by: context.caller)
            log(context, user)
            return .json(report)
        },
        Route(.delete, path: path + "/{session}", for: .operator) { _, context in
            let user = try await messaging.knownUser(services.userReference(context))
            guard let id = context.parameter("session"), AuthSession.isPublicID(id) else {
                throw Messaging.noSession
            }
            try await messaging.endSession(hashPrefix: id, of: user, by: context.caller)
            log(context, user)
            return .nothing()
        },
    ]
}

/// The page of sessions that a request asks for.
private struct SessionPage {
    /// The maximum number of sessions in a page, which is also the default.
    private static let maximumSessions: Int64 = 200

    let after: SessionPlace?
    let limit: Int

    init(_ request: Request) throws(APIError) {
        let fields = try request.queryFields()
        limit = Int(try fields.number("limit", from: 1, upTo: Self.maximumSessions) ?? Self.maximumSessions)
        after = try fields.cursor { SessionPlace(cursor: $0) }
    }
}

extension JSONTree {
    /// - Parameter current: The session of the request.
    fileprivate init(_ page: ListPage<AuthSession>, current: TokenHash?) {
        let sessions = page.elements.map { session in
            JSONTree.ordered([
                ("id", .text(session.publicID)), ("expires_ms", .integer(session.expires)),
                ("current", .bool(session.tokenHash == current)),
            ])
        }
        self = .ordered([
            ("sessions", .array(sessions)),
            ("next_cursor", page.last.map { .text("\($0.expires).\($0.publicID)") } ?? .null),
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
