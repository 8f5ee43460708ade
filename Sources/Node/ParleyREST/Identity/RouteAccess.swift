import Hummingbird
import ParleyAccounts
import ParleyMessaging
import ParleyModel

/// The callers that a route admits, and the form in which the handler receives them.
struct RouteAccess<Caller: Sendable>: Sendable {
    typealias Call = RequestCallers.Call

    /// - Throws: The error for a caller that is not admitted.
    let find: @Sendable (RequestCallers?, Call) async throws(APIError) -> Caller

    fileprivate init(_ find: @escaping @Sendable (RequestCallers, Call) async throws(APIError) -> Caller) {
        self.find = { callers, call throws(APIError) in
            guard let callers else { throw .internal("this listener authenticates nobody") }
            return try await find(callers, call)
        }
    }

    fileprivate init(everybody caller: Caller) {
        find = { _, _ throws(APIError) in caller }
    }
}

extension RouteAccess where Caller == Void {
    /// Admits every request without reading credentials.
    static var anyone: RouteAccess { RouteAccess(everybody: ()) }

    /// Admits every request, except from pages of foreign origins, which could log their visitors in as another user.
    static var allowedPages: RouteAccess {
        RouteAccess { callers, call throws(APIError) in
            let request = call.request
            guard callers.origins.allows(origin: request.headers[.origin], host: request.head.authority) else {
                throw APIError(.forbidden, "logging in is not allowed from this Origin")
            }
        }
    }
}

extension RouteAccess where Caller == Principal? {
    /// Admits every request. The caller is `nil` without valid credentials.
    static var whoever: RouteAccess {
        RouteAccess { callers, call throws(APIError) in
            do throws(APIError) {
                return try await callers.principal(call)
            } catch {
                guard error.code == .unauthorized else { throw error }
                return nil
            }
        }
    }
}

extension RouteAccess where Caller == Principal {
    /// Admits a user, or an API key that does not act for a user.
    static var userOrBackEnd: RouteAccess {
        RouteAccess { callers, call throws(APIError) in try await callers.principal(call) }
    }
}

extension RouteAccess where Caller == Identity {
    /// Admits a user. An API key must act for one.
    static var user: RouteAccess {
        RouteAccess { callers, call throws(APIError) in
            guard case .user(let identity) = try await callers.principal(call) else {
                throw APIError(.forbidden, "an API key requires X-Parley-User for this")
            }
            return identity
        }
    }
}

extension RouteAccess where Caller == BackEnd {
    /// Admits an API key that does not act for a user.
    static var backEnd: RouteAccess {
        RouteAccess { callers, call throws(APIError) in
            guard let backEnd = BackEnd(try await callers.principal(call)) else {
                throw APIError(.forbidden, "only an API key without X-Parley-User may do this")
            }
            return backEnd
        }
    }
}

extension RouteAccess where Caller == Operator {
    static var `operator`: RouteAccess {
        RouteAccess { callers, call throws(APIError) in
            let requester = try await callers.requireOperator(call)
            if let user = requester.author { try callers.charge(user, call) }
            return requester
        }
    }
}
