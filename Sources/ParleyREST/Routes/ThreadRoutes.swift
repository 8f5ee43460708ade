import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyModel

/// My threads, and what was said and done in a thread.
func threadRoutes(_ services: RESTServices, _ pages: ThreadPages) -> [Route] {
    [
        Route(.get, path: "/v1/threads") { request, context in
            try await services.listThreads(request, context)
        },
        Route(.get, path: "/v1/threads/{id}/messages") { request, context in
            let principal = try await services.principal(request, context, changesState: false)
            let query = try HistoryQuery(request.queryFields())
            let thread = try await services.readableThread(principal, context)
            return .json(try await pages.messages(in: thread, query))
        },
        Route(.get, path: "/v1/threads/{id}/events") { request, context in
            let principal = try await services.principal(request, context, changesState: false)
            let fields = try request.queryFields()
            let after = try fields.number("after_seq", upTo: MessageQuery.maximumSeq) ?? 0
            let limit = try fields.number("limit", from: 1, upTo: RESTServices.maximumEvents)
            let thread = try await services.readableThread(principal, context)
            return .json(
                try await pages.events(in: thread, after: after, limit: Int(limit ?? RESTServices.defaultEvents)))
        },
    ]
}

extension RESTServices {
    /// The most events of a page, and as many as come unasked.
    fileprivate static let (maximumEvents, defaultEvents): (Int64, Int64) = (1000, 100)
    /// The most threads of a list, and as many as come unasked.
    private static let maximumThreads: Int64 = 500

    /// The thread that the path names, which whoever asks may read.
    fileprivate func readableThread(_ principal: Principal, _ context: RESTContext) async throws -> ThreadID {
        guard let thread = Self.pathParameter("id", context).flatMap({ ThreadID($0) }) else {
            throw Self.unknownThread
        }
        try await requireReader(principal, of: thread)
        return thread
    }

    fileprivate func listThreads(_ request: Request, _ context: RESTContext) async throws -> Response {
        let user = try await identity(request, context, changesState: false).user
        let fields = try request.queryFields()
        let limit = Int(try fields.number("limit", from: 1, upTo: Self.maximumThreads) ?? Self.maximumThreads)
        let place = try fields.textIfPresent("cursor").map { text throws(APIError) in
            guard let place = ThreadPlace(text) else {
                throw .badRequest("cursor is no next_cursor of an earlier answer")
            }
            return place
        }
        // One more than asked for tells whether there is more.
        var threads = try await store.threads(of: user.id, after: place, limit: limit + 1)
        let hasMore = threads.count > limit
        if hasMore { threads.removeLast() }
        let next = hasMore ? threads.last?.place.text : nil
        return .json(
            .object([
                ("threads", .array(threads.map { JSON($0) })),
                ("next_cursor", next.map { .string($0) } ?? .null),
            ]))
    }
}
