import Hummingbird
import ParleyAccounts
import ParleyMessaging
import ParleyModel

/// Access to threads.
extension RESTServices {
    /// - Throws: 404 for an unknown thread, 403 `not_a_member` for other users' threads. An API key that acts for
    ///   nobody may read everything.
    func requireReader(_ principal: Principal, of thread: ThreadID) async throws {
        if case .user(let identity) = principal,
            try await ports.directory.membership(of: identity.user.id, in: thread) != nil
        {
            return
        }
        guard try await ports.directory.thread(thread) != nil else { throw Self.unknownThread }
        if case .user = principal { throw APIError(.notAMember, "not a member of this thread") }
    }

    /// The thread id in the path; the thread may not exist.
    static func threadID(_ context: RESTContext) throws(APIError) -> ThreadID {
        guard let thread = pathParameter("id", context).flatMap({ ThreadID($0) }) else { throw unknownThread }
        return thread
    }

    /// The user's present membership in a thread.
    /// - Throws: 404 for an unknown thread, 403 `not_a_member` for other users' threads.
    func membership(of user: User, in thread: ThreadID) async throws -> Membership {
        if let membership = try await ports.directory.membership(of: user.id, in: thread) { return membership }
        guard try await ports.directory.thread(thread) != nil else { throw Self.unknownThread }
        throw APIError(.notAMember, "not a member of this thread")
    }

    func user(_ reference: UserReference) async throws -> User {
        guard let user = try await ports.directory.user(reference) else {
            throw APIError(.notFound, "no such user")
        }
        return user
    }

    /// The user whom the path parameter `user` names.
    func userReference(_ context: RESTContext) -> UserReference {
        ports.directory.reference(Self.pathParameter("user", context) ?? "")
    }

    /// The user whom the field `user` names.
    func userReference(_ fields: Fields) throws(APIError) -> UserReference {
        switch try fields.idValue("user") {
        case .text(let text): ports.directory.reference(text)
        case .number(let digits): UserReference(id: digits)
        }
    }

    static var unknownThread: APIError { APIError(.notFound, "no such thread") }

    /// The path parameter `name`; `nil` if it is not percent-encoded UTF-8.
    static func pathParameter(_ name: String, _ context: RESTContext) -> String? {
        context.parameters.get(name).flatMap { PercentEncoding.decode($0.utf8) }
            .flatMap { String(validating: $0, as: UTF8.self) }
    }
}
