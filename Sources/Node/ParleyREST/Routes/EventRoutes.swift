import Hummingbird
import ParleyMessaging
import ParleyModel

/// The stream of stored events, for back ends.
func eventRoutes(_ services: RESTServices) -> [Route] {
    [
        Route(.get, path: "/v1/admin/events", for: .backEnd, budget: .lists) { request, context in
            let fields = try request.queryFields()
            let user: UserID? =
                if fields.has("user") {
                    try await services.messaging.knownUser(services.userReference(fields)).id
                } else {
                    nil
                }
            let stream = EventStream(
                messaging: services.messaging, backEnd: context.caller,
                request: try EventStreamRequest(request, fields, user: user), place: try services.events.begin(),
                times: services.events.times, clock: services.clock, channel: context.channel)
            return try await stream.response()
        }
    ]
}
