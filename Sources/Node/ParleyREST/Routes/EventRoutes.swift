import Hummingbird
import Logging
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The stream of stored events, for back ends, and the groups of its readers, which operators see and move, too.
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
        Route(.get, path: "/v1/admin/event-groups", for: .operator, budget: .lists) { _, context in
            let groups = try await messaging.eventGroups(for: context.caller)
            let now = services.clock.milliseconds
            return .json(.ordered([("groups", .array(groups.map { JSONTree($0, at: now) }))]))
        },
        Route(.put, path: group, for: .operator) { request, context in
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
                if text == "end" {
                    try await messaging.moveEventGroupToEnd(name, by: context.caller)
                } else {
                    guard let cursor = text == "start" ? .start : EventCursor(text) else {
                        throw APIError.badRequest("cursor is not start, end, or the cursor of an earlier answer")
                    }
                    try await messaging.moveEventGroup(name, to: cursor, by: context.caller)
                }
                context.logger.notice(
                    "event group moved", metadata: ["operator": "\(context.caller.name)", "group": "\(name)"])
            }
            return .nothing()
        },
        Route(.delete, path: group, for: .operator) { _, context in
            let name = try eventGroup(context)
            try await messaging.deleteEventGroup(name, by: context.caller)
            context.logger.notice(
                "event group deleted", metadata: ["operator": "\(context.caller.name)", "group": "\(name)"])
            return .nothing()
        },
    ]
}

/// - Throws: `bad_request` for a name that no group has.
private func eventGroup(_ context: CallContext<Operator>) throws(APIError) -> String {
    let name = context.parameter("group") ?? ""
    guard EventGroup.isName(name) else { throw .badRequest("the group is not \(EventGroup.nameRule)") }
    return name
}

extension JSONTree {
    /// - Parameter now: The time in Unix milliseconds.
    fileprivate init(_ group: EventGroup, at now: Int64) {
        self = .ordered([
            ("name", .text(group.name)), ("cursor", .text(group.cursor.text)), ("worker", .text(group.reader)),
            ("lease_until_ms", .integer(group.untilMilliseconds)),
            ("acknowledged_ms", group.acknowledgedMilliseconds.map { .integer($0) } ?? .null),
            ("lag_ms", group.unreadMilliseconds.map { .integer(max(0, now - $0)) } ?? .null),
        ])
    }
}
