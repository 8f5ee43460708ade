import Foundation
import Hummingbird
import ParleyAccounts
import ParleyModel

/// Who may read which thread.
extension RESTServices {
    /// - Throws: 404 for an unknown thread, 403 `not_a_member` for somebody else's. An API key that acts for nobody may
    ///   read everything.
    func requireReader(_ principal: Principal, of thread: ThreadID) async throws {
        if case .user(let identity) = principal {
            // What is remembered of memberships can be older than the last change of them.
            let memberships = try await directory.memberships(of: identity.user.id, fresh: true)
            if memberships.contains(where: { $0.thread.id == thread }) { return }
        }
        guard try await directory.thread(thread) != nil else { throw Self.unknownThread }
        if case .user = principal { throw APIError(.notAMember, "not a member of this thread") }
    }

    static var unknownThread: APIError { APIError(.notFound, "no such thread") }

    /// The part of the path that the route calls `name`; `nil` if it is no percent-encoded UTF-8.
    static func pathParameter(_ name: String, _ context: RESTContext) -> String? {
        context.parameters.get(name)?.removingPercentEncoding
    }
}
