import HTTPTypes
import Hummingbird
import ParleyAccounts

/// The routes below `/v1` so far: who I am, and a ticket for a socket.
func v1Routes(_ services: RESTServices) -> [Route] {
    [
        Route(.get, path: "/v1/me") { request, context in
            .json(JSON(try await services.identity(request, context, changesState: false).user))
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
