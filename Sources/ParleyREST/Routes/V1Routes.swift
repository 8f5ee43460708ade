import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyModel

/// Who I am, who others are, and a ticket for a socket.
func v1Routes(_ services: RESTServices) -> [Route] {
    [
        Route(.get, path: "/v1/me") { request, context in
            .json(JSON(try await services.identity(request, context, changesState: false).user))
        },
        Route(.get, path: "/v1/users/{id}") { request, context in
            _ = try await services.principal(request, context, changesState: false)
            guard let id = RESTServices.pathParameter("id", context).flatMap({ UserID($0) }),
                let user = try await services.directory.user(id)
            else { throw APIError(.notFound, "no such user") }
            return .json(JSON(user))
        },
        Route(.post, path: "/v1/tickets") { request, context in
            let identity = try await services.identity(request, context, changesState: true)
            return .json(
                .object([
                    ("ticket", .string(services.tickets.issue(for: identity))),
                    ("expires_in", .integer(Int64(services.tickets.lifetimeSeconds))),
                ]), status: .created)
        },
    ]
}
