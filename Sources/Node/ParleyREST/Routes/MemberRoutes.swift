import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Members of a thread and their roles.
func memberRoutes(_ services: RESTServices) -> [Route] {
    [
        Route(.get, path: "/v1/threads/{id}/members", for: .userOrBackEnd, budget: .lists) { request, context in
            try await services.listMembers(request, context)
        },
        Route(.post, path: "/v1/threads/{id}/members", for: .user) { request, context in
            try await services.putMember(request, context)
        },
        Route(.delete, path: "/v1/threads/{id}/members/{user}", for: .user) { _, context in
            try await services.messaging.removeMember(
                services.userReference(context), from: context.threadID(), by: Caller(context.caller))
            return .nothing()
        },
    ]
}

extension Fields {
    /// Returns the role in the request, or `nil` if there is none.
    func role() throws(APIError) -> Membership.Role? {
        try textIfPresent("role").map { text throws(APIError) in
            guard let role = Membership.Role(rawValue: text) else {
                throw .badRequest("role is unknown; allowed are owner, moderator, member and read_only")
            }
            return role
        }
    }
}

extension Fields {
    /// Returns the visibility in the request, or `nil` if there is none.
    func visibility() throws(APIError) -> RoomVisibility? {
        try textIfPresent("visibility").map { text throws(APIError) in
            guard let visibility = RoomVisibility(rawValue: text) else {
                throw .badRequest("visibility is unknown; allowed are \(RoomVisibility.names)")
            }
            return visibility
        }
    }

    /// Returns the history in the request, or `nil` if there is none.
    func history() throws(APIError) -> RoomHistory? {
        try textIfPresent("history").map { text throws(APIError) in
            guard let history = RoomHistory(rawValue: text) else {
                throw .badRequest("history is unknown; allowed are \(RoomHistory.names)")
            }
            return history
        }
    }
}

extension RESTServices {
    /// The maximum number of members in a page.
    private static let maximumMembers: Int64 = 200
    private static let defaultMembers: Int64 = 50

    fileprivate func listMembers(_ request: Request, _ context: CallContext<Principal>) async throws -> Response {
        let thread = try await messaging.access(to: context.threadID(), for: context.caller)
        let fields = try request.queryFields()
        let limit = Int(try fields.number("limit", from: 1, upTo: Self.maximumMembers) ?? Self.defaultMembers)
        let after = try fields.cursor { UserID($0) }
        let members = try await messaging.members(of: thread, after: after, limit: limit)
        return .json(.ordered(JSONTree.page(members, of: thread.id)))
    }

    fileprivate func putMember(_ request: Request, _ context: CallContext<Identity>) async throws -> Response {
        let thread = try context.threadID()
        let fields = try await request.bodyFields()
        let role = try fields.role()
        let put = try await messaging.setMember(
            userReference(fields), of: thread, role: role, by: Caller(context.caller))
        return .json(
            JSONTree(Member(user: put.user, role: put.role), of: thread), status: put.isNew ? .created : .ok)
    }
}
