import Hummingbird
import ParleyAccounts
import ParleyMessaging
import ParleyModel

/// The context of a request whose caller is known.
@dynamicMemberLookup
struct CallContext<Caller: Sendable>: Sendable {
    let caller: Caller
    let context: RESTContext

    subscript<Value>(dynamicMember member: KeyPath<RESTContext, Value>) -> Value { context[keyPath: member] }

    /// Returns a parameter of the path, or `nil` if it is not percent-encoded UTF-8.
    func parameter(_ name: String) -> String? {
        context.parameters.get(name).flatMap { PercentEncoding.decode($0.utf8) }
            .flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns the id of the thread in the path. The thread may not exist.
    func threadID() throws(APIError) -> ThreadID {
        guard let thread = parameter("id").flatMap({ ThreadID($0) }) else { throw .unknownThread }
        return thread
    }
}

extension CallContext where Caller == Identity {
    var user: User { caller.user }
}

extension APIError {
    static var unknownThread: APIError { APIError(.notFound, "no such thread") }
}
