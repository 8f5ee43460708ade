import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Members of a thread and their roles.
func memberRoutes(_ services: RESTServices) -> [Route] {
    [
        Route(.post, path: "/v1/threads/{id}/members") { request, context in
            try await services.putMember(request, context)
        },
        Route(.delete, path: "/v1/threads/{id}/members/{user}") { request, context in
            let requester = try await services.identity(request, context, changesState: true).user
            try await services.changes.removeMember(
                RESTServices.pathParameter("user", context) ?? "", from: RESTServices.threadID(context), by: requester)
            return .nothing()
        },
    ]
}

extension Fields {
    /// The role in the request; `nil` if none is given.
    func role() throws(APIError) -> Membership.Role? {
        try textIfPresent("role").map { text throws(APIError) in
            guard let role = Membership.Role(rawValue: text) else {
                throw .badRequest("role is unknown; allowed are owner, moderator, member and read_only")
            }
            return role
        }
    }
}

extension RESTServices {
    fileprivate func putMember(_ request: Request, _ context: RESTContext) async throws -> Response {
        let requester = try await identity(request, context, changesState: true).user
        let thread = try Self.threadID(context)
        let fields = try await request.bodyFields()
        let role = try fields.role()
        let put = try await changes.setMember(fields.idText("user"), of: thread, role: role, by: requester)
        return .json(
            JSONTree(Member(user: put.user, role: put.role), of: thread), status: put.isNew ? .created : .ok)
    }
}
