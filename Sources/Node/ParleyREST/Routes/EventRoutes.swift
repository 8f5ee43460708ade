import Hummingbird
import Logging
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The stream of stored events, and the groups of its readers, for back ends.
func eventRoutes(_ services: RESTServices) -> [Route] {
    let (messaging, group) = (services.messaging, "/v1/admin/event-groups/{group}")
    return [
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
        },
        Route(.get, path: "/v1/admin/event-groups", for: .backEnd, budget: .lists) { _, context in
            let groups = try await messaging.eventGroups(for: context.caller)
            return .json(.ordered([("groups", .array(groups.map { JSONTree($0) }))]))
        },
        Route(.put, path: group, for: .backEnd) { request, context in
            let fields = try await request.bodyFields()
            let name = try eventGroup(context)
            let text = try fields.text("cursor")
            if let worker = try fields.textIfPresent("worker") {
                guard EventGroup.isName(worker) else {
                    throw APIError.badRequest("worker is not \(EventGroup.nameRule)")
                }
                guard let cursor = EventCursor(text) else {
                    throw APIError.badRequest("cursor is not the cursor of an earlier answer")
                }
                try await messaging.acknowledgeEvents(through: cursor, of: name, by: worker, for: context.caller)
            } else {
                let cursor = try await place(text, messaging, context.caller)
                try await messaging.moveEventGroup(name, to: cursor, for: context.caller)
                context.logger.notice("event group moved", metadata: ["group": "\(name)"])
            }
            return .nothing()
        },
        Route(.delete, path: group, for: .backEnd) { _, context in
            let name = try eventGroup(context)
            try await messaging.deleteEventGroup(name, for: context.caller)
            context.logger.notice("event group deleted", metadata: ["group": "\(name)"])
            return .nothing()
        },
    ]
}

/// - Throws: `bad_request` for a name that no group has.
private func eventGroup(_ context: CallContext<BackEnd>) throws(APIError) -> String {
    let name = context.parameter("group") ?? ""
    guard EventGroup.isName(name) else { throw .badRequest("the group is not \(EventGroup.nameRule)") }
    return name
}

/// The place that a group is moved to.
private func place(_ text: String, _ messaging: Messaging, _ backEnd: BackEnd) async throws -> EventCursor {
    switch text {
    case "start": return .start
    case "end": return try await messaging.endOfEvents(for: backEnd)
    default:
        guard let cursor = EventCursor(text) else {
            throw APIError.badRequest("cursor is not start, end, or the cursor of an earlier answer")
        }
        return cursor
    }
}

extension JSONTree {
    fileprivate init(_ group: EventGroup) {
        self = .ordered([
            ("name", .text(group.name)), ("cursor", .text(group.cursor.text)), ("worker", .text(group.reader)),
            ("lease_until_ms", .integer(group.untilMilliseconds)),
            ("acknowledged_ms", group.acknowledgedMilliseconds.map { .integer($0) } ?? .null),
        ])
    }
}
