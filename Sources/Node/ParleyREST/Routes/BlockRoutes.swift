import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The users that the caller blocks.
func blockRoutes(_ services: RESTServices) -> [Route] {
    let messaging = services.messaging
    return [
        Route(.get, path: "/v1/me/blocks", for: .user, budget: .lists) { _, context in
            let blocks = try await messaging.blocks(of: Caller(context.caller))
            return .json(.ordered([("blocks", .array(blocks.map { JSONTree($0) }))]))
        },
        Route(.put, path: "/v1/me/blocks/{user}", for: .user) { _, context in
            .json(
                JSONTree(
                    try await messaging.block(services.userReference(context), by: Caller(context.caller))))
        },
        Route(.delete, path: "/v1/me/blocks/{user}", for: .user) { _, context in
            try await messaging.unblock(services.userReference(context), by: Caller(context.caller))
            return .nothing()
        },
    ]
}
