import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Users, socket tickets, and message search.
func v1Routes(_ services: RESTServices) -> [Route] {
    [
        Route(.get, path: "/v1/users", for: .userOrBackEnd, budget: .lists) { request, _ in
            try await services.listUsers(request)
        },
        Route(.get, path: "/v1/users/{id}", for: .userOrBackEnd, budget: .lists) { _, context in
            guard let id = context.parameter("id").flatMap({ UserID($0) }) else {
                throw APIError(.notFound, "no such user")
            }
            let (user, profile) = try await services.messaging.profile(of: id)
            return .json(JSONTree(user, profile))
        },
        Route(.post, path: "/v1/tickets", for: .user) { _, context in
            let ticket = try await services.auth.tickets.issue(for: context.caller)
            return .json(
                .ordered([
                    ("ticket", .text(ticket)),
                    ("expires_in", .integer(Int64(services.auth.tickets.lifetimeSeconds))),
                ]), status: .created)
        },
        Route(.get, path: "/v1/search", for: .user, budget: .searches) { request, context in
            try await services.search(request, context)
        },
    ]
}

extension RESTServices {
    /// The maximum and the default number of users in a list.
    private static let (maximumUsers, defaultUsers): (Int64, Int64) = (200, 30)

    fileprivate func listUsers(_ request: Request) async throws -> Response {
        let fields = try request.queryFields()
        let limit = try fields.number("limit", from: 1, upTo: Self.maximumUsers) ?? Self.defaultUsers
        let users = try await messaging.users(prefix: fields.textIfPresent("prefix") ?? "", limit: Int(limit))
        return .json(.ordered([("users", .array(users.map { JSONTree($0.user, $0.profile) }))]))
    }

    fileprivate func search(_ request: Request, _ context: CallContext<Identity>) async throws -> Response {
        let fields = try request.queryFields()
        let words = try fields.text("q")
        guard !words.isEmpty else { throw APIError.badRequest("q is empty; allowed are words to search for") }
        let limit = try fields.number("limit", from: 1, upTo: HistoryQuery.maximumLength) ?? HistoryQuery.defaultLength
        let thread = try fields.textIfPresent("thread").map { text throws(APIError) in
            guard let thread = ThreadID(text) else { throw APIError.unknownThread }
            return thread
        }
        let page = try await messaging.search(
            words, of: Caller(context.caller), in: thread, limit: Int(limit))
        return .json(capacity: JSONWriter.eventBytes * (page.messages.count + 1)) { $0.page(page) }
    }
}
