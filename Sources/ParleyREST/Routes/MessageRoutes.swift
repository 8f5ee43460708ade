import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The history of a thread, sends, and changes of messages.
func messageRoutes(_ services: RESTServices, _ pages: ThreadPages) -> [Route] {
    let commands = services.commands
    return [
        Route(.get, path: "/v1/threads/{id}/messages") { request, context in
            let principal = try await services.reader(request, context, .history)
            let query = try HistoryQuery(request.queryFields())
            return .json(try await pages.messages(in: services.readableThread(principal, context), query))
        },
        Route(.get, path: "/v1/threads/{id}/events") { request, context in
            let principal = try await services.reader(request, context, .history)
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
            let fields = try await request.bodyFields()
            let parts = try fields.parts()
            let text = parts.isEmpty ? try fields.text("text") : try fields.textIfPresent("text") ?? ""
            let receipt = try await commands.send(
                text, parts: parts, replyTo: try fields.number("reply_to", from: 1, upTo: MessageQuery.maximumSeq),
                clientID: clientID, by: identity.user, as: membership,
                isTraced: RESTServices.requestsTrace(request, identity))
            return .json(status: receipt.isRepeat ? .ok : .created) { $0.ack(receipt, clientID: clientID) }
        },
        Route(.patch, path: "/v1/threads/{id}/messages/{mid}") { request, context in
            let (user, membership) = try await services.writer(request, context)
            let text = try await request.bodyFields().text("text")
            let edit = MessageChange.edit(try RESTServices.messageID(context), text: text)
            return .acknowledging(try await commands.change(edit, by: user.id, as: membership))
        },
        Route(.delete, path: "/v1/threads/{id}/messages/{mid}") { request, context in
            let (user, membership) = try await services.writer(request, context)
            let deletion = MessageChange.delete(try RESTServices.messageID(context))
            _ = try await commands.change(deletion, by: user.id, as: membership)
            return .nothing()
        },
        Route(.put, path: "/v1/threads/{id}/messages/{mid}/reactions/{emoji}") { request, context in
            .acknowledging(try await services.react(request, context, isOn: true))
        },
        Route(.delete, path: "/v1/threads/{id}/messages/{mid}/reactions/{emoji}") { request, context in
            _ = try await services.react(request, context, isOn: false)
            return .nothing()
        },
        Route(.put, path: "/v1/threads/{id}/read") { request, context in
            try await services.markRead(request, context)
        },
    ]
}

extension RESTServices {
    /// Maximum and default page size of events.
    fileprivate static let (maximumEvents, defaultEvents): (Int64, Int64) = (1000, 100)

    /// The thread in the path, which the caller may read.
    fileprivate func readableThread(_ principal: Principal, _ context: RESTContext) async throws -> ThreadID {
        let thread = try Self.threadID(context)
        try await requireReader(principal, of: thread)
        return thread
    }

    /// The caller, and their membership in the thread in the path.
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
        guard Message.isValid(clientID: key) else {
            throw .badRequest("Idempotency-Key must have 1 to \(Message.maximumClientIDScalars) characters")
        }
        return key
    }

    /// Only an API key may request a trace, which costs more than a message.
    fileprivate static func requestsTrace(_ request: Request, _ identity: Identity) -> Bool {
        guard case .apiKey = identity.credential else { return false }
        return request.headers[.parleyTrace] == "1"
    }

    fileprivate func react(_ request: Request, _ context: RESTContext, isOn: Bool) async throws -> Receipt? {
        let (user, membership) = try await writer(request, context)
        let emoji = Self.pathParameter("emoji", context) ?? ""
        let reaction = MessageChange.react(try Self.messageID(context), emoji: emoji, isOn: isOn)
        return try await commands.change(reaction, by: user.id, as: membership)
    }

    /// Moves the caller's read cursor to a seq, which may be lower than the present one, or to the end of the thread. A
    /// seq above the end means the end.
    fileprivate func markRead(_ request: Request, _ context: RESTContext) async throws -> Response {
        let user = try await identity(request, context, changesState: true).user
        let thread = try Self.threadID(context)
        let wanted = try await request.bodyFields().number("seq", upTo: MessageQuery.maximumSeq)
        _ = try await membership(of: user, in: thread)
        let seq = try await commands.markRead(thread, by: user.id, through: wanted)
        return .json(.ordered([("thread_id", .text(thread.text)), ("read_seq", .integer(seq))]))
    }
}

extension Response {
    /// The position of a message change; only a deletion may have none.
    fileprivate static func acknowledging(_ receipt: Receipt?) -> Response {
        receipt.map { receipt in .json { $0.ack(receipt) } } ?? .nothing()
    }
}
