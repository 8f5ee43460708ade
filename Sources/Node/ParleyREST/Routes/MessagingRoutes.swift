import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The classic API: the inbox, a thread's messages, and joining a room.
func messagingRoutes(_ services: RESTServices) -> [Route] {
    [
        Route(.get, path: "/messaging/load-inbox", for: .user, budget: .lists) { _, context in
            let entries = try await services.messaging.inbox(of: Caller(context.caller))
            return .json(capacity: 64 + JSONWriter.eventBytes * entries.count) { json in
                json.object { json in
                    json.key("threads")
                    json.array(entries) { $0.entry($1) }
                }
            }
        },
        // This route also marks the thread as read.
        Route(
            .get, path: "/messaging/load-messages", for: .userOrBackEnd, budget: .history, changesByGET: true
        ) { request, context in
            try await services.loadMessages(request, context)
        },
        Route(.post, path: "/messaging/add-chatroom", for: .user) { request, context in
            let title = try await request.bodyFields().text("title")
            let room = try await services.messaging.join(roomTitled: title, by: Caller(context.caller)).membership
                .thread
            return .json(.ordered([("id", .text(room.id.text)), ("title", .text(room.title))]))
        },
    ]
}

extension RESTServices {
    /// The page size that the tutorial's client expects.
    private static let pageLength = 30

    /// Marks the thread as read, and returns a page of it.
    ///
    /// The thread is marked first. All marked messages were stored before the read, so the newest page shows them. In the
    /// reverse order, a message stored in between would count as read although no user has seen it.
    fileprivate func loadMessages(
        _ request: Request, _ context: CallContext<Principal>
    ) async throws -> Response {
        let fields = try request.queryFields()
        let text = try fields.text("id")
        guard !text.isEmpty else { throw APIError.badRequest("id is empty; allowed is the id of a thread") }
        let query = try MessageQuery(fields, limit: Self.pageLength)
        guard let id = ThreadID(text) else { throw APIError.unknownThread }
        let thread = try await messaging.access(to: id, for: context.caller)
        if let member = thread.member { try await markRead(id, by: member.caller) }
        let page = try await messaging.messages(query, in: thread)
        return .json(capacity: JSONWriter.eventBytes * (page.messages.count + 1)) { $0.page(page) }
    }

    /// Marks the thread. A user over the budget of read marks gets the page nevertheless, and a later page marks the thread.
    private func markRead(_ thread: ThreadID, by caller: Caller) async throws(MessagingError) {
        do {
            _ = try await messaging.markRead(thread, by: caller, to: .storedEnd)
        } catch {
            guard case .rateLimited = error else { throw error }
        }
    }
}
