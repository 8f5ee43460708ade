import HTTPTypes
import Hummingbird
import Logging
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Imports by a back end, with an API key that does not act for a user.
func importRoutes(_ services: RESTServices) -> [Route] {
    [
        Route(.post, path: "/v1/admin/import", for: .backEnd) { request, context in
            let report = try await BulkImport(messaging: services.messaging, backEnd: context.caller)
                .run(request.body)
            return .json { $0.report(report) }
        }
    ]
}

/// Cluster views for operators. The page at `/console` uses them.
func inspectionRoutes(_ services: RESTServices) -> [Route] {
    let cluster = Cluster(services)
    let inspector = Inspector(services, cluster)
    func read(
        _ path: String, _ handler: @escaping @Sendable (Request, CallContext<Operator>) async throws -> JSONTree
    ) -> Route {
        Route(.get, path: path, for: .operator, budget: .lists) { request, context in
            .json(try await handler(request, context))
        }
    }
    return [
        read("/v1/admin/nodes") { _, _ in
            let report = ClusterReport(await cluster.nodes())
            return .ordered([("nodes", report.nodeList), ("registry", report.nodeRegistry)])
        },
        read("/v1/admin/overview") { _, _ in
            let report = ClusterReport(await cluster.nodes())
            return .ordered([
                ("date_ms", .integer(services.clock.milliseconds)),
                ("node", .text(services.admin.status().name)), ("version", .text(services.ops.version)),
                ("registry", report.nodeRegistry), ("totals", report.totals), ("persist", report.persist),
                ("redis", report.link(\.redis)), ("database", report.link(\.database)), ("nodes", report.nodeList),
            ])
        },
        read("/v1/admin/threads/top") { request, context in
            let limit = try request.queryFields().number("limit", from: 1, upTo: 100) ?? 20
            return .ordered([("threads", await inspector.busiest(limit: Int(limit), for: context.caller))])
        },
        read("/v1/admin/search") { request, context in
            let fields = try request.queryFields()
            let text = try fields.text("q")
            guard !text.isEmpty else { throw APIError.badRequest("q is empty; allowed is the beginning of a name") }
            let limit = Int(try fields.number("limit", from: 1, upTo: 50) ?? 10)
            return try await inspector.find(text, limit: limit, for: context.caller)
        },
        read("/v1/admin/users/{user}") { _, context in
            try await inspector.show(
                services.messaging.knownUser(services.userReference(context)), for: context.caller)
        },
        read("/v1/admin/threads/{id}") { request, context in
            let fields = try request.queryFields()
            let limit = try fields.number("limit", from: 1, upTo: 200) ?? 50
            let after = try fields.cursor { UserID($0) }
            return try await inspector.show(
                services.messaging.thread(context.threadID(), for: context.caller), membersAfter: after,
                limit: Int(limit), for: context.caller)
        },
        read("/v1/admin/threads/{id}/sanctions") { request, context in
            let (thread, page) = (try context.threadID(), try SanctionPage(request))
            let sanctions = try await services.messaging.sanctions(
                in: thread, after: page.after, limit: page.limit, by: context.caller)
            return .ordered(JSONTree.page(sanctions, in: thread))
        },
    ]
}

/// Changes by operators. Every change is logged.
func administrationRoutes(_ services: RESTServices) -> [Route] {
    let administration = Administration(services, Cluster(services))
    func write(
        _ method: HTTPRequest.Method, _ path: String,
        _ handler: @escaping @Sendable (Request, CallContext<Operator>) async throws -> Response
    ) -> Route {
        Route(method, path: path, for: .operator) { request, context in
            let response = try await handler(request, context)
            context.logger.notice(
                "operator request succeeded",
                metadata: [
                    "operator": "\(context.caller.name)", "method": "\(method.rawValue)", "path": "\(request.uri.path)",
                ])
            return response
        }
    }
    return [
        write(.post, "/v1/admin/users") { request, context in
            let fields = try await request.bodyFields()
            let (user, isNew) = try await services.messaging.createUser(
                named: fields.text("username"), id: fields.textIfPresent("id"),
                password: fields.textIfPresent("password"), by: context.caller)
            return .json(JSONTree(user), status: isNew ? .created : .ok)
        },
        write(.post, "/v1/admin/users/{user}/revoke-sessions") { _, context in
            let user = try await services.messaging.knownUser(services.userReference(context))
            return .json(try await administration.endSessions(of: user, by: context.caller))
        },
        write(.put, "/v1/admin/users/{user}/password") { request, context in
            let fields = try await request.bodyFields()
            let user = try await services.messaging.knownUser(services.userReference(context))
            try await services.messaging.setPassword(try fields.text("password"), of: user, by: context.caller)
            return .nothing()
        },
        write(.post, "/v1/admin/threads") { request, context in
            try await services.makeRoom(request, context)
        },
        write(.patch, "/v1/admin/threads/{id}") { request, context in
            try await services.changeRoom(request, context)
        },
        write(.post, "/v1/admin/threads/{id}/members") { request, context in
            let fields = try await request.bodyFields()
            let role = try fields.role()
            let thread = try await services.messaging.thread(context.threadID(), for: context.caller)
            let user = try await services.messaging.knownUser(services.userReference(fields))
            let put = try await services.messaging.setMember(user, of: thread.id, role: role, by: context.caller)
            return .json(
                JSONTree(Member(user: user, role: put.role), of: thread.id), status: put.isNew ? .created : .ok)
        },
        write(.delete, "/v1/admin/threads/{id}/members/{user}") { _, context in
            let user = try await services.messaging.knownUser(services.userReference(context))
            try await services.messaging.removeMember(
                user, from: services.messaging.thread(context.threadID(), for: context.caller).id, by: context.caller)
            return .nothing()
        },
        write(.put, "/v1/admin/threads/{id}/sanctions/{user}/{kind}") { request, context in
            let (thread, sanction) = (try context.threadID(), try await context.sanction(request))
            let user = try await services.messaging.knownUser(services.userReference(context))
            return .json(
                JSONTree(
                    try await services.messaging.sanction(user, in: thread, sanction, by: context.caller), in: thread))
        },
        write(.delete, "/v1/admin/threads/{id}/sanctions/{user}/{kind}") { _, context in
            let user = try await services.messaging.knownUser(services.userReference(context))
            try await services.messaging.endSanction(
                context.sanctionKind(), of: user, in: context.threadID(), by: context.caller)
            return .nothing()
        },
        write(.post, "/v1/admin/nodes/{node}/drain") { _, context in
            let name = context.parameter("node") ?? ""
            return .json(try await administration.drain(name), status: .accepted)
        },
    ]
}

extension RESTServices {
    /// Creates a room without members.
    fileprivate func makeRoom(_ request: Request, _ context: CallContext<Operator>) async throws -> Response {
        let fields = try await request.bodyFields()
        let (room, isNew) = try await messaging.createRoom(
            titled: fields.text("title"), id: fields.textIfPresent("id"), visibility: fields.visibility(),
            history: fields.history(), by: context.caller)
        return .json(
            Inspector.json(room, try await messaging.history(of: room)), status: isNew ? .created : .ok)
    }

    /// Changes the visibility of a room, its history, its details, or several of them.
    fileprivate func changeRoom(_ request: Request, _ context: CallContext<Operator>) async throws -> Response {
        let (fields, id) = (try await request.bodyFields(), try context.threadID())
        let (visibility, history) = (try fields.visibility(), try fields.history())
        let update = try fields.roomUpdate()
        guard visibility != nil || history != nil || !update.isEmpty else {
            throw APIError.badRequest("visibility, history or a detail of the room is missing")
        }
        if !update.isEmpty { _ = try await messaging.setRoom(update, of: id, by: context.caller) }
        // Before the room may become public.
        if let history { try await messaging.setHistory(history, of: id, by: context.caller) }
        let room =
            if let visibility {
                try await messaging.setVisibility(visibility, of: id, by: context.caller)
            } else {
                try await messaging.thread(id, for: context.caller)
            }
        return .json(
            Inspector.json(room, try await messaging.history(of: room), try await messaging.details(of: room)))
    }
}
