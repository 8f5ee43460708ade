import HTTPTypes
import Hummingbird
import Logging
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Suspensions of users, by operators.
func suspensionRoutes(_ services: RESTServices) -> [Route] {
    let (messaging, path) = (services.messaging, "/v1/admin/users/{user}/suspension")
    return [
        Route(.get, path: "/v1/admin/suspensions", for: .operator, budget: .lists) { request, context in
            let fields = try request.queryFields()
            let limit = Int(try fields.number("limit", from: 1, upTo: 200) ?? 50)
            let page = try await messaging.suspensions(
                after: try fields.cursor { UserID($0) }, limit: limit, by: context.caller)
            return .json(
                .ordered([
                    ("suspensions", .array(page.elements.map { JSONTree($0) })),
                    ("next_cursor", page.last.map { .text($0.user.id.text) } ?? .null),
                ]))
        },
        Route(.put, path: path, for: .operator) { request, context in
            let fields = try await request.bodyFields()
            let suspension = try SuspensionRequest(
                seconds: fields.number("seconds", from: 1, upTo: Sanction.longestSeconds),
                reason: fields.textIfPresent("reason"))
            let user = try await messaging.knownUser(services.userReference(context))
            let record = try await messaging.suspend(user, suspension, by: context.caller)
            context.logger.notice(
                "user suspended", metadata: ["operator": "\(context.caller.name)", "user": "\(user.id)"])
            return .json(JSONTree(record))
        },
        Route(.delete, path: path, for: .operator) { _, context in
            let user = try await messaging.knownUser(services.userReference(context))
            try await messaging.endSuspension(of: user, by: context.caller)
            context.logger.notice(
                "suspension ended", metadata: ["operator": "\(context.caller.name)", "user": "\(user.id)"])
            return .nothing()
        },
    ]
}

extension JSONTree {
    init(_ record: SuspensionRecord) {
        var members: [(String, JSONTree)] = [
            ("user", JSONTree(record.user)), ("since_ms", .integer(record.since)),
        ]
        if let until = record.suspension.until { members.append(("until_ms", .integer(until))) }
        if let reason = record.suspension.reason { members.append(("reason", .text(reason))) }
        if let author = record.author { members.append(("by_id", .text(author.text))) }
        self = .ordered(members)
    }
}
