import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Links that lead into rooms: made by moderators, followed by users.
func linkRoutes(_ services: RESTServices) -> [Route] {
    let messaging = services.messaging
    return [
        Route(.get, path: "/v1/threads/{id}/links", for: .user, budget: .lists) { _, context in
            let thread = try context.threadID()
            let links = try await messaging.links(of: thread, by: Caller(context.caller))
            return .json(.ordered([("links", .array(links.map { JSONTree($0, into: thread) }))]))
        },
        Route(.post, path: "/v1/threads/{id}/links", for: .user) { request, context in
            let (thread, fields) = (try context.threadID(), try await request.bodyFields())
            let wanted = try LinkRequest(
                seconds: fields.number("seconds", from: 1, upTo: RoomLink.longestSeconds),
                uses: fields.number("uses", from: 1, upTo: RoomLink.mostUses))
            let (link, code) = try await messaging.makeLink(into: thread, wanted, by: Caller(context.caller))
            return .json(JSONTree(link, into: thread, code: code), status: .created)
        },
        Route(.delete, path: "/v1/threads/{id}/links/{link}", for: .user) { _, context in
            try await messaging.revokeLink(context.linkID(), of: context.threadID(), by: Caller(context.caller))
            return .nothing()
        },
        Route(.get, path: "/v1/links/{code}", for: .user, budget: .lists) { _, context in
            let code = context.parameter("code") ?? ""
            return .json(JSONTree(try await messaging.room(ofLink: code, for: Caller(context.caller))))
        },
        Route(.post, path: "/v1/links/{code}", for: .user) { _, context in
            let code = context.parameter("code") ?? ""
            let joined = try await messaging.follow(link: code, by: Caller(context.caller))
            return try await services.thread(
                joined.membership.thread.id, context, status: joined.isNew ? .created : .ok)
        },
    ]
}

extension CallContext {
    func linkID() throws(APIError) -> LinkID {
        guard let id = parameter("link").flatMap({ LinkID($0) }) else { throw APIError(.notFound, "no such link") }
        return id
    }
}

extension JSONTree {
    /// - Parameter code: the code of a new link.
    init(_ link: RoomLink, into thread: ThreadID, code: String? = nil) {
        var members: [(String, JSONTree)] = [("id", .text(link.id.text)), ("thread_id", .text(thread.text))]
        if let code { members.append(("code", .text(code))) }
        members += [("by_id", .text(link.author.text)), ("since_ms", .integer(link.since))]
        if let until = link.until { members.append(("until_ms", .integer(until))) }
        if let uses = link.uses { members.append(("uses", .integer(uses))) }
        members.append(("used", .integer(link.used)))
        self = .ordered(members)
    }

    /// The id is for members only: a private room does not exist for others, and they need none to join.
    fileprivate init(_ room: LinkedRoom) {
        var thread: [(String, JSONTree)] = room.isMember ? [("id", .text(room.thread.id.text))] : []
        thread += [
            ("title", .text(room.thread.title)), ("kind", .text(room.thread.kind.rawValue)),
            ("visibility", .text(room.thread.visibility.rawValue)),
        ]
        self = .ordered([
            ("thread", .ordered(thread)), ("members", .integer(room.members)), ("is_member", .bool(room.isMember)),
        ])
    }
}
