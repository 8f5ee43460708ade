import HTTPTypes
import Hummingbird
import Logging
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Removals by operators, operator rights, the links of any room, and the load of the last hour. The page at `/console` uses
/// them.
func operatorRoutes(_ services: RESTServices) -> [Route] {
    let (messaging, cluster) = (services.messaging, Cluster(services))
    func change(
        _ method: HTTPRequest.Method, _ path: String,
        _ handler: @escaping @Sendable (CallContext<Operator>) async throws -> Void
    ) -> Route {
        Route(method, path: path, for: .operator) { request, context in
            try await handler(context)
            context.logger.notice(
                "operator request succeeded",
                metadata: [
                    "operator": "\(context.caller.name)", "method": "\(method.rawValue)", "path": "\(request.uri.path)",
                ])
            return .nothing()
        }
    }
    return [
        Route(.get, path: "/v1/admin/history", for: .operator, budget: .lists) { _, _ in
            .json(await cluster.history(at: services.clock.milliseconds))
        },
        Route(.get, path: "/v1/admin/threads/{id}/links", for: .operator, budget: .lists) { _, context in
            let thread = try context.threadID()
            let links = try await messaging.links(of: thread, by: context.caller)
            return .json(.ordered([("links", .array(links.map { JSONTree($0, into: thread) }))]))
        },
        change(.delete, "/v1/admin/threads/{id}/links/{link}") { context in
            try await messaging.revokeLink(context.linkID(), of: context.threadID(), by: context.caller)
        },
        change(.delete, "/v1/admin/threads/{id}") { context in
            try await messaging.deleteThread(context.threadID(), by: context.caller)
        },
        change(.delete, "/v1/admin/threads/{id}/messages/{mid}") { context in
            try await messaging.deleteMessage(context.messageID(), of: context.threadID(), by: context.caller)
        },
        change(.put, "/v1/admin/users/{user}/operator") { context in
            let user = try await messaging.knownUser(services.userReference(context))
            _ = try await messaging.setOperator(true, of: user, by: context.caller)
        },
        change(.delete, "/v1/admin/users/{user}/operator") { context in
            let user = try await messaging.knownUser(services.userReference(context))
            _ = try await messaging.setOperator(false, of: user, by: context.caller)
        },
        change(.delete, "/v1/admin/users/{user}") { context in
            let user = try await messaging.knownUser(services.userReference(context))
            try await messaging.erase(user, by: context.caller)
        },
    ]
}

extension Cluster {
    /// The load of all nodes over the last hour, by steps.
    fileprivate func history(at milliseconds: Int64) async -> JSONTree {
        let (replies, silent) = await send(.history, to: await nodes().nodes)
        return .ordered([
            ("date_ms", .integer(milliseconds)), ("step_ms", .integer(NodeHistory.step)),
            ("samples", .array(NodeHistory.sum(replies.map(\.history)).map(\.tree))),
            ("silent_nodes", .array(silent.map { .text($0.name) })),
        ])
    }
}
