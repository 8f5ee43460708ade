import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyModel

/// What was said and done in a thread, and saying and doing it.
func messageRoutes(_ services: RESTServices, _ pages: ThreadPages) -> [Route] {
    let writer = MessageWriter(services)
    return [
        Route(.get, path: "/v1/threads/{id}/messages") { request, context in
            let principal = try await services.principal(request, context, changesState: false)
            let query = try HistoryQuery(request.queryFields())
            return .json(try await pages.messages(in: services.readableThread(principal, context), query))
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
        Route(.post, path: "/v1/threads/{id}/messages") { request, context in
            let identity = try await services.identity(request, context, changesState: true)
            let membership = try await services.membership(of: identity.user, in: RESTServices.threadID(context))
            let clientID = try RESTServices.clientID(request)
            let receipt = try await writer.send(
                await request.bodyFields(), clientID: clientID, by: identity.user, in: membership,
                isTraced: RESTServices.asksForTrace(request, identity))
            return .json(JSON(receipt, clientID: clientID), status: receipt.isRepeat ? .ok : .created)
        },
        Route(.patch, path: "/v1/threads/{id}/messages/{mid}") { request, context in
            let (user, membership) = try await services.writer(request, context)
            let text = try await request.bodyFields().text("text")
            return .json(
                JSON(try await writer.edit(RESTServices.messageID(context), text, by: user, in: membership)))
        },
        Route(.delete, path: "/v1/threads/{id}/messages/{mid}") { request, context in
            let (user, membership) = try await services.writer(request, context)
            try await writer.delete(RESTServices.messageID(context), by: user, in: membership)
            return .nothing()
        },
        Route(.put, path: "/v1/threads/{id}/messages/{mid}/reactions/{emoji}") { request, context in
            let receipt = try await services.react(request, context, writer, isOn: true)
            return .json(JSON(receipt))
        },
        Route(.delete, path: "/v1/threads/{id}/messages/{mid}/reactions/{emoji}") { request, context in
            _ = try await services.react(request, context, writer, isOn: false)
            return .nothing()
        },
        Route(.put, path: "/v1/threads/{id}/read") { request, context in
            try await services.markRead(request, context)
        },
    ]
}

extension RESTServices {
    /// The most events of a page, and as many as come unasked.
    fileprivate static let (maximumEvents, defaultEvents): (Int64, Int64) = (1000, 100)
    /// The longest name that a sender may give a send, in Unicode scalars.
    private static let clientIDScalars = 64

    /// The thread that the path names, which whoever asks may read.
    fileprivate func readableThread(_ principal: Principal, _ context: RESTContext) async throws -> ThreadID {
        let thread = try Self.threadID(context)
        try await requireReader(principal, of: thread)
        return thread
    }

    /// Who writes, and as what in the thread that the path names.
    fileprivate func writer(
        _ request: Request, _ context: RESTContext
    ) async throws -> (user: User, membership: Membership) {
        let user = try await identity(request, context, changesState: true).user
        return (user, try await membership(of: user, in: Self.threadID(context)))
    }

    fileprivate static func messageID(_ context: RESTContext) throws(APIError) -> MessageID {
        guard let id = pathParameter("mid", context).flatMap({ MessageID($0) }) else {
            throw APIError(.notFound, "no such message in this thread")
        }
        return id
    }

    fileprivate static func clientID(_ request: Request) throws(APIError) -> String? {
        guard let key = request.headers[.idempotencyKey] else { return nil }
        guard (1...clientIDScalars).contains(key.unicodeScalars.count), !key.utf8.contains(0) else {
            throw .badRequest("Idempotency-Key must have 1 to \(clientIDScalars) characters")
        }
        return key
    }

    /// Only an API key may ask: a trace costs more than a message.
    fileprivate static func asksForTrace(_ request: Request, _ identity: Identity) -> Bool {
        guard case .apiKey = identity.credential else { return false }
        return request.headers[.parleyTrace] == "1"
    }

    fileprivate func react(
        _ request: Request, _ context: RESTContext, _ writer: MessageWriter, isOn: Bool
    ) async throws -> Receipt {
        let (user, membership) = try await self.writer(request, context)
        let emoji = Self.pathParameter("emoji", context) ?? ""
        return try await writer.react(
            emoji, isOn: isOn, to: Self.messageID(context), by: user, in: membership)
    }

    /// Moves my read cursor to a seq, back too, or without one to the end of the thread. What is not there yet cannot
    /// be read: a seq above the end is the end.
    fileprivate func markRead(_ request: Request, _ context: RESTContext) async throws -> Response {
        let user = try await identity(request, context, changesState: true).user
        let thread = try Self.threadID(context)
        let wanted = try await request.bodyFields().number("seq", upTo: MessageQuery.maximumSeq)
        _ = try await membership(of: user, in: thread)
        let head = try await log.head(of: thread)?.position.seq ?? 0
        let seq = min(wanted ?? head, head)
        try await store.markRead(thread, by: user.id, through: seq)
        bus.publish(.read(user.id, seq: seq, date: clock.seconds), in: thread)
        return .json(.object([("thread_id", .string(thread.text)), ("read_seq", .integer(seq))]))
    }
}
