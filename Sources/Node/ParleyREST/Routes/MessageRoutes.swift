import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The history of a thread, and the sending and changing of messages.
func messageRoutes(_ services: RESTServices, _ pages: ThreadPages) -> [Route] {
    let messaging = services.messaging
    return [
        Route(.get, path: "/v1/threads/{id}/messages", for: .userOrBackEnd, budget: .history) { request, context in
            let query = try HistoryQuery(request.queryFields())
            return .json(try await pages.messages(query, in: services.access(context)))
        },
        Route(.get, path: "/v1/threads/{id}/events", for: .userOrBackEnd, budget: .history) { request, context in
            let fields = try request.queryFields()
            let after = try fields.number("after_seq", upTo: MessageQuery.maximumSeq) ?? 0
            let limit = try fields.number("limit", from: 1, upTo: RESTServices.maximumEvents)
            let thread = try await services.access(context)
            return .json(
                try await pages.events(after: after, limit: Int(limit ?? RESTServices.defaultEvents), in: thread))
        },
        Route(.post, path: "/v1/threads/{id}/messages", for: .user) { request, context in
            let membership = try await services.membership(context)
            let clientID = try RESTServices.clientID(request)
            let fields = try await request.bodyFields()
            let parts = try fields.parts()
            let text = parts.isEmpty ? try fields.text("text") : try fields.textIfPresent("text") ?? ""
            var message = NewMessage(
                text, parts: parts, replyTo: try fields.number("reply_to", from: 1, upTo: MessageQuery.maximumSeq),
                clientID: clientID)
            message.isTraced = RESTServices.requestsTrace(request, context.caller)
            let receipt = try await messaging.send(message, by: Caller(context.caller), as: membership)
            return .json(status: receipt.isRepeat ? .ok : .created) { $0.ack(receipt, clientID: clientID) }
        },
        Route(.patch, path: "/v1/threads/{id}/messages/{mid}", for: .user) { request, context in
            let membership = try await services.membership(context)
            let text = try await request.bodyFields().text("text")
            let edit = MessageChange.edit(try context.messageID(), text: text)
            return .acknowledging(try await messaging.change(edit, by: Caller(context.caller), as: membership))
        },
        Route(.delete, path: "/v1/threads/{id}/messages/{mid}", for: .user) { _, context in
            let membership = try await services.membership(context)
            let deletion = MessageChange.delete(try context.messageID())
            _ = try await messaging.change(deletion, by: Caller(context.caller), as: membership)
            return .nothing()
        },
        Route(.put, path: "/v1/threads/{id}/messages/{mid}/reactions/{emoji}", for: .user) { _, context in
            .acknowledging(try await services.react(context, isOn: true))
        },
        Route(.delete, path: "/v1/threads/{id}/messages/{mid}/reactions/{emoji}", for: .user) { _, context in
            _ = try await services.react(context, isOn: false)
            return .nothing()
        },
        Route(.put, path: "/v1/threads/{id}/read", for: .user) { request, context in
            try await services.markRead(request, context)
        },
    ]
}

extension RESTServices {
    /// The maximum and the default number of events in a page.
    fileprivate static let (maximumEvents, defaultEvents): (Int64, Int64) = (1000, 100)

    /// Returns the thread in the path, which the caller may read.
    fileprivate func access(_ context: CallContext<Principal>) async throws -> ReadableThread {
        try await messaging.access(to: context.threadID(), for: context.caller)
    }

    /// Returns the caller's membership in the thread in the path.
    fileprivate func membership(_ context: CallContext<Identity>) async throws -> Membership {
        try await messaging.membership(of: Caller(context.caller), in: context.threadID())
    }

    fileprivate static func clientID(_ request: Request) throws(APIError) -> String? {
        guard let key = request.headers[.idempotencyKey] else { return nil }
        guard Message.isValid(clientID: key) else {
            throw .badRequest("Idempotency-Key must have 1 to \(Message.maximumClientIDScalars) characters")
        }
        return key
    }

    /// Whether a trace is requested. Only API keys may do so, since a trace costs more than a message.
    fileprivate static func requestsTrace(_ request: Request, _ identity: Identity) -> Bool {
        guard case .apiKey = identity.credential else { return false }
        return request.headers[.parleyTrace] == "1"
    }

    fileprivate func react(_ context: CallContext<Identity>, isOn: Bool) async throws -> Receipt? {
        let membership = try await membership(context)
        let emoji = context.parameter("emoji") ?? ""
        let reaction = MessageChange.react(try context.messageID(), emoji: emoji, isOn: isOn)
        return try await messaging.change(reaction, by: Caller(context.caller), as: membership)
    }

    /// Moves the caller's read cursor to a seq, which may be lower than the current one, or to the end of the thread. A seq
    /// above the end means the end.
    fileprivate func markRead(_ request: Request, _ context: CallContext<Identity>) async throws -> Response {
        let thread = try context.threadID()
        let wanted = try await request.bodyFields().number("seq", upTo: MessageQuery.maximumSeq)
        let caller = Caller(context.caller)
        _ = try await messaging.membership(of: caller, in: thread)
        let seq = try await messaging.markRead(
            thread, by: caller, to: wanted.map { .seq($0) } ?? .end)
        return .json(.ordered([("thread_id", .text(thread.text)), ("read_seq", .integer(seq))]))
    }
}

extension CallContext {
    func messageID() throws(APIError) -> MessageID {
        guard let id = parameter("mid").flatMap({ MessageID($0) }) else {
            throw APIError(.notFound, "no such message in this thread")
        }
        return id
    }
}

extension Response {
    /// Returns the position of a message change. Only a deletion may have none.
    fileprivate static func acknowledging(_ receipt: Receipt?) -> Response {
        receipt.map { receipt in .json { $0.ack(receipt) } } ?? .nothing()
    }
}
