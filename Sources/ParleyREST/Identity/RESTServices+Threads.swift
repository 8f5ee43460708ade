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
        guard try await ports.directory.thread(thread) != nil else { throw APIError.unknownThread }
        if case .user = principal { throw APIError(.notAMember, "not a member of this thread") }
    }

    /// The user's present membership in a thread.
    /// - Throws: 404 for an unknown thread, 403 `not_a_member` for other users' threads.
    func membership(of user: User, in thread: ThreadID) async throws -> Membership {
        if let membership = try await ports.directory.membership(of: user.id, in: thread) { return membership }
        guard try await ports.directory.thread(thread) != nil else { throw APIError.unknownThread }
        throw APIError(.notAMember, "not a member of this thread")
    }

    func user(_ reference: UserReference) async throws -> User {
        guard let user = try await ports.directory.user(reference) else {
            throw APIError(.notFound, "no such user")
        }
        return user
    }

    /// The user whom the path parameter `user` names.
    func userReference<Caller>(_ context: CallContext<Caller>) -> UserReference {
        ports.directory.reference(context.parameter("user") ?? "")
    }

    /// The user whom the field `user` names.
    func userReference(_ fields: Fields) throws(APIError) -> UserReference {
        switch try fields.idValue("user") {
        case .text(let text): ports.directory.reference(text)
        case .number(let digits): UserReference(id: digits)
        }
    }
}
