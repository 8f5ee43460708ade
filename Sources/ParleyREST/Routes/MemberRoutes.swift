import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyModel

/// Coming and going, and roles.
func memberRoutes(_ services: RESTServices) -> [Route] {
    let changer = ThreadChanger(services)
    return [
        Route(.post, path: "/v1/threads/{id}/members") { request, context in
            try await services.putMember(request, context, changer)
        },
        Route(.delete, path: "/v1/threads/{id}/members/{user}") { request, context in
            let asker = try await services.identity(request, context, changesState: true).user
            let membership = try await services.membership(of: asker, in: RESTServices.threadID(context))
            let user = try await services.user(RESTServices.pathParameter("user", context) ?? "")
            try await changer.remove(user, from: membership, by: asker.id)
            return .nothing()
        },
    ]
}

extension Fields {
    /// The role that is given; `nil` if none is.
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
    /// Rooms are open to whoever knows them, so anybody may make themselves a member, and nobody else one.
    fileprivate func putMember(
        _ request: Request, _ context: RESTContext, _ changer: ThreadChanger
    ) async throws -> Response {
        let asker = try await identity(request, context, changesState: true).user
        let id = try Self.threadID(context)
        let fields = try await request.bodyFields()
        let role = try fields.role()
        let name = try fields.idText("user")
        let memberships = try await directory.memberships(of: asker.id, fresh: true)
        let membership = memberships.first { $0.thread.id == id }
        var known = membership?.thread
        if known == nil { known = try await directory.thread(id) }
        guard let thread = known else { throw Self.unknownThread }
        let user = try await user(name)
        guard membership != nil || (user == asker && thread.kind == .room && role ?? .member == .member) else {
            throw APIError(.notAMember, "not a member of this thread")
        }
        let put = try await changer.put(user, in: thread, as: role, by: membership, asker.id)
        return .json(
            JSON(Member(user: user, role: put.role), of: id), status: put.isNew ? .created : .ok)
    }
}
