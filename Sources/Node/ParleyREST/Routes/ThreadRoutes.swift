import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The caller's threads, joinable rooms, and changes of a thread.
func threadRoutes(_ services: RESTServices) -> [Route] {
    [
        Route(.get, path: "/v1/threads", for: .user, budget: .lists) { request, context in
            try await services.listThreads(request, context)
        },
        Route(.post, path: "/v1/threads", for: .user) { request, context in
            try await services.makeThread(request, context)
        },
        Route(.get, path: "/v1/threads/joinable", for: .user, budget: .lists) { request, context in
            try await services.listJoinable(request, context)
        },
        Route(.get, path: "/v1/threads/{id}", for: .userOrBackEnd, budget: .lists) { _, context in
            try await services.showThread(context)
        },
        Route(.patch, path: "/v1/threads/{id}", for: .user) { request, context in
            let thread = try context.threadID()
            try await services.change(thread, request.bodyFields(), by: Caller(context.caller))
            return try await services.thread(thread, context)
        },
        Route(.delete, path: "/v1/threads/{id}", for: .user) { _, context in
            try await services.messaging.deleteThread(context.threadID(), by: Caller(context.caller))
            return .nothing()
        },
        Route(.post, path: "/v1/direct", for: .user) { request, context in
            try await services.openDirect(with: services.userReference(request.bodyFields()), context)
        },
    ]
}

extension RESTServices {
    /// The maximum and the default number of threads in a list.
    private static let maximumThreads: Int64 = 500
    private static let (maximumJoinable, defaultJoinable): (Int64, Int64) = (200, 30)

    fileprivate func listThreads(_ request: Request, _ context: CallContext<Identity>) async throws -> Response {
        let fields = try request.queryFields()
        let limit = Int(try fields.number("limit", from: 1, upTo: Self.maximumThreads) ?? Self.maximumThreads)
        let place = try fields.cursor { ThreadPlace($0) }
        let threads = try await messaging.threads(of: Caller(context.caller), after: place, limit: limit)
        return .json(capacity: 64 + 2 * JSONWriter.eventBytes * threads.elements.count) { json in
            json.object { json in
                json.key("threads")
                json.array(threads.elements) { $0.thread($1) }
                json.key("next_cursor")
                if let next = threads.last?.place.text { json.string(next) } else { json.null() }
            }
        }
    }

    fileprivate func listJoinable(_ request: Request, _ context: CallContext<Identity>) async throws -> Response {
        let fields = try request.queryFields()
        let limit = try fields.number("limit", from: 1, upTo: Self.maximumJoinable) ?? Self.defaultJoinable
        let rooms = try await messaging.joinableRooms(
            prefix: try fields.textIfPresent("prefix") ?? "", for: Caller(context.caller), limit: Int(limit))
        let threads = rooms.map { room in
            JSONTree.ordered([
                ("id", .text(room.id.text)), ("title", .text(room.title)), ("kind", .text(room.kind.rawValue)),
                ("visibility", .text(room.visibility.rawValue)),
            ])
        }
        return .json(.ordered([("threads", .array(threads))]))
    }

    /// Changes the title, the visibility, the history, the details, or several of them.
    fileprivate func change(_ thread: ThreadID, _ fields: Fields, by caller: Caller) async throws {
        let (title, visibility) = (try fields.textIfPresent("title"), try fields.visibility())
        let (history, update) = (try fields.history(), try fields.roomUpdate())
        guard title != nil || visibility != nil || history != nil || !update.isEmpty else {
            throw APIError.badRequest("title, visibility, history or a detail of the room is missing")
        }
        try await messaging.change(thread, title: title, visibility: visibility, history: history, update, by: caller)
    }

    /// Joins or creates a room by title, creates a group, or opens a direct thread.
    fileprivate func makeThread(_ request: Request, _ context: CallContext<Identity>) async throws -> Response {
        let fields = try await request.bodyFields()
        switch try fields.textIfPresent("kind") ?? ThreadInfo.Kind.room.rawValue {
        case ThreadInfo.Kind.room.rawValue:
            let joined = try await messaging.join(
                roomTitled: fields.text("title"), visibility: fields.visibility(), history: fields.history(),
                by: Caller(context.caller))
            let isMade = joined.isNew && joined.membership.role == .owner
            return try await thread(joined.membership.thread.id, context, status: isMade ? .created : .ok)
        case ThreadInfo.Kind.direct.rawValue:
            return try await openDirect(with: userReference(fields), context)
        case ThreadInfo.Kind.group.rawValue:
            let id = try await messaging.createGroup(
                titled: fields.textIfPresent("title"), with: memberReferences(fields), by: Caller(context.caller))
            return try await thread(id, context, status: .created)
        default:
            throw APIError.badRequest("kind is unknown; allowed are room, group and direct")
        }
    }

    fileprivate func openDirect(
        with reference: UserReference, _ context: CallContext<Identity>
    ) async throws -> Response {
        let (id, isNew) = try await messaging.openDirect(with: reference, by: Caller(context.caller))
        return try await thread(id, context, status: isNew ? .created : .ok)
    }

    /// Returns a thread as a member sees it. An API key without a user gets no member's state.
    fileprivate func showThread(_ context: CallContext<Principal>) async throws -> Response {
        switch try await messaging.thread(context.threadID(), for: context.caller) {
        case .member(let summary):
            try await response(summary)
        case .backEnd(let info, let head):
            .json(
                JSONTree(
                    info, try await messaging.history(of: info), try await messaging.details(of: info), head: head))
        }
    }

    /// Returns a thread as its member sees it.
    func thread(
        _ id: ThreadID, _ context: CallContext<Identity>, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        try await response(messaging.thread(id, of: Caller(context.caller)), status: status)
    }

    private func response(_ summary: ThreadSummary, status: HTTPResponse.Status = .ok) async throws -> Response {
        let thread = summary.membership.thread
        let (history, details) = (
            try await messaging.history(of: thread), try await messaging.details(of: thread)
        )
        return .json(status: status, capacity: 2 * JSONWriter.eventBytes) { $0.thread(summary, history, details) }
    }
}
