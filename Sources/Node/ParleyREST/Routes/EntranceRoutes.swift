import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Ways into threads that are not public: invitations, requests, and another owner.
func entranceRoutes(_ services: RESTServices) -> [Route] {
    invitationRoutes(services) + ownInvitationRoutes(services) + requestRoutes(services)
}

private func invitationRoutes(_ services: RESTServices) -> [Route] {
    let messaging = services.messaging
    return [
        Route(.get, path: "/v1/threads/{id}/invitations", for: .user, budget: .lists) { request, context in
            let (thread, page) = (try context.threadID(), try EntrancePage(request) { UserID($0) })
            let found = try await messaging.invitations(
                to: thread, after: page.after, limit: page.limit, by: Caller(context.caller))
            return .json(
                .ordered([
                    ("invitations", .array(found.elements.map { JSONTree(toThread: $0) })),
                    ("next_cursor", found.last.map { .text($0.user.id.text) } ?? .null),
                ]))
        },
        Route(.put, path: "/v1/threads/{id}/invitations/{user}", for: .user) { request, context in
            let (thread, fields) = (try context.threadID(), try await request.bodyFields())
            let made = try await messaging.invite(
                services.userReference(context), to: thread,
                EntranceTerms(text: fields.textIfPresent("text"), seconds: fields.entranceSeconds()),
                by: Caller(context.caller))
            return .json(JSONTree(toThread: made.record), status: made.isNew ? .created : .ok)
        },
        Route(.delete, path: "/v1/threads/{id}/invitations/{user}", for: .user) { _, context in
            try await messaging.withdrawInvitation(
                of: services.userReference(context), to: context.threadID(), by: Caller(context.caller))
            return .nothing()
        },
        Route(.post, path: "/v1/threads/{id}/owner", for: .user) { request, context in
            let (thread, fields) = (try context.threadID(), try await request.bodyFields())
            let user = try await messaging.handOver(
                thread, to: services.userReference(fields), by: Caller(context.caller))
            return .json(JSONTree(Member(user: user, role: .owner), of: thread))
        },
    ]
}

private func ownInvitationRoutes(_ services: RESTServices) -> [Route] {
    let messaging = services.messaging
    return [
        Route(.get, path: "/v1/me/invitations", for: .user, budget: .lists) { request, context in
            let page = try EntrancePage(request) { ThreadID($0) }
            let found = try await messaging.invitations(
                of: Caller(context.caller), after: page.after, limit: page.limit)
            return .json(
                .ordered([
                    ("invitations", .array(found.elements.map { JSONTree(toUser: $0) })),
                    ("next_cursor", found.last.map { .text($0.thread.id.text) } ?? .null),
                ]))
        },
        Route(.post, path: "/v1/me/invitations/{id}/accept", for: .user) { _, context in
            let thread = try context.threadID()
            try await messaging.acceptInvitation(to: thread, by: Caller(context.caller))
            return try await services.enteredThread(thread, context)
        },
        Route(.delete, path: "/v1/me/invitations/{id}", for: .user) { _, context in
            try await messaging.declineInvitation(to: context.threadID(), by: Caller(context.caller))
            return .nothing()
        },
    ]
}

private func requestRoutes(_ services: RESTServices) -> [Route] {
    let messaging = services.messaging
    return [
        Route(.get, path: "/v1/me/requests", for: .user, budget: .lists) { _, context in
            let found = try await messaging.requests(of: Caller(context.caller))
            let requests = found.map { JSONTree($0.request, of: nil, in: $0.thread) }
            return .json(.ordered([("requests", .array(requests))]))
        },
        Route(.delete, path: "/v1/me/requests/{id}", for: .user) { _, context in
            try await messaging.withdrawRequest(for: context.threadID(), by: Caller(context.caller))
            return .nothing()
        },
        Route(.post, path: "/v1/threads/{id}/requests", for: .user) { request, context in
            let (thread, fields) = (try context.threadID(), try await request.bodyFields())
            let made = try await messaging.request(
                thread, EntranceTerms(text: fields.textIfPresent("text")), by: Caller(context.caller))
            return .json(JSONTree(made.request, of: nil, in: thread), status: made.isNew ? .created : .ok)
        },
        Route(.get, path: "/v1/threads/{id}/requests", for: .user, budget: .lists) { request, context in
            let (thread, page) = (try context.threadID(), try EntrancePage(request) { UserID($0) })
            let found = try await messaging.requests(
                in: thread, after: page.after, limit: page.limit, by: Caller(context.caller))
            let requests = found.elements.map { JSONTree($0.request, of: $0.user, in: thread) }
            return .json(
                .ordered([
                    ("requests", .array(requests)),
                    ("next_cursor", found.last.map { .text($0.user.id.text) } ?? .null),
                ]))
        },
        Route(.post, path: "/v1/threads/{id}/requests/{user}/accept", for: .user) { _, context in
            let thread = try context.threadID()
            let member = try await messaging.acceptRequest(
                of: services.userReference(context), in: thread, by: Caller(context.caller))
            return .json(JSONTree(Member(user: member.user, role: member.role), of: thread), status: .created)
        },
        Route(.delete, path: "/v1/threads/{id}/requests/{user}", for: .user) { _, context in
            try await messaging.refuseRequest(
                of: services.userReference(context), in: context.threadID(), by: Caller(context.caller))
            return .nothing()
        },
    ]
}

extension RESTServices {
    /// Returns a thread that the caller has entered.
    fileprivate func enteredThread(
        _ id: ThreadID, _ context: CallContext<Identity>
    ) async throws -> Response {
        let thread = try await messaging.thread(id, of: Caller(context.caller))
        return .json(capacity: JSONWriter.eventBytes) { $0.thread(thread) }
    }

    /// Returns the users that the field `members` of a group names, in the order of the field.
    func memberReferences(_ fields: Fields) throws -> [(text: String, user: UserReference)] {
        try fields.idValues("members").map { value in
            switch value {
            case .text(let text): (text, messaging.reference(text))
            case .number(let id): (id.text, UserReference(id: id))
            }
        }
    }
}

/// The fields of a request for a page of invitations or requests.
private struct EntrancePage<Place> {
    let after: Place?
    let limit: Int

    init(_ request: Request, _ place: (String) -> Place?) throws {
        let (maximum, standard): (Int64, Int64) = (200, 50)
        let fields = try request.queryFields()
        limit = Int(try fields.number("limit", from: 1, upTo: maximum) ?? standard)
        after = try fields.cursor(place)
    }
}

extension Fields {
    fileprivate func entranceSeconds() throws(APIError) -> Int64? {
        try number("seconds", from: EntranceText.seconds.lowerBound, upTo: EntranceText.seconds.upperBound)
    }

    /// Returns a required array of ids or references, which only JSON has.
    fileprivate func idValues(_ name: String) throws(APIError) -> [JSONObject.IDValue] {
        guard case .array(let elements)? = try tree(name) else {
            throw .badRequest("\(name) must be an array of IDs or names, in a JSON body")
        }
        return try elements.map { element throws(APIError) in
            switch element {
            case .text(let text): return .text(text)
            case .integer(let number): return .number(UserID(trusted: String(number)))
            default: throw .badRequest("\(name) must have strings or whole numbers")
            }
        }
    }
}
