import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyMessaging
import ParleyModel

/// Authenticates the callers of routes, and charges their budgets.
struct RequestCallers: Sendable {
    /// A request with an unknown caller.
    struct Call: Sendable {
        let request: Request
        let context: RESTContext
        /// The budget that the request is charged to.
        let budget: BudgetKind?
        /// Whether the request changes nothing. A page of a foreign origin may then send it with a cookie, since the page
        /// cannot read the response.
        let isSafe: Bool
    }

    let authenticator: Authenticator
    let operators: Operators
    let origins: OriginPolicy
    /// The budgets; `nil` if no route has one.
    let budgets: Budgets?

    /// Returns the sender of a request. A user is charged for the request.
    func principal(_ call: Call) async throws(APIError) -> Principal {
        let principal = try await authenticated(call)
        if case .user(let identity) = principal { try charge(identity.user.id, call) }
        return principal
    }

    /// - Throws: Also 403 for a user who may not use `/v1/admin`.
    func requireOperator(_ call: Call) async throws(APIError) -> Operator {
        let principal = try await authenticated(call)
        do {
            return try await operators.require(principal, logger: call.context.logger)
        } catch {
            throw APIError(error)
        }
    }

    /// Charges a request to a user's budget. The request counts as in progress until its response is complete.
    /// - Throws: 429 with `Retry-After`.
    func charge(_ user: UserID, _ call: Call) throws(APIError) {
        guard let budget = call.budget else { return }
        do {
            if let use = try budgets?.begin(budget, by: user) { call.context.uses.keep(use) }
        } catch {
            throw APIError(error)
        }
    }

    private func authenticated(_ call: Call) async throws(APIError) -> Principal {
        let request = call.request
        do {
            return try await authenticator.authenticate(
                PresentedCredentials(
                    authorization: request.headers[.authorization], actingUser: request.headers[.parleyUser],
                    cookies: request.headers[values: .cookie], origin: request.pageOrigin,
                    host: request.head.authority, address: call.context.client.text, isSafeMethod: call.isSafe))
        } catch {
            throw APIError(MessagingError(error))
        }
    }
}

extension Request {
    /// The origin of the page that made a browser send the request, if known. `nil` for programs, for addresses that a user
    /// typed, and for actions on a page of this host.
    ///
    /// Browsers send no `Origin` with a navigation by GET, but Fetch Metadata reports that the navigation started at another
    /// site or origin. The result is then the page in `Referer`, or `null`.
    fileprivate var pageOrigin: String? {
        if let origin = headers[.origin] { return origin }
        guard ["cross-site", "same-site"].contains(headers[.fetchSite]?.lowercased()) else { return nil }
        let parts = (headers[.referer] ?? "").split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count > 2 ? "\(parts[0])//\(parts[2])" : "null"
    }

    /// Rejects a GET that changes state if a page loads it as an image or another subresource. This applies to all pages, since
    /// a message can use any address as a picture.
    ///
    /// Browsers send the destination of a request, which is "empty" for scripts. Old browsers and programs send none.
    func refusePartOfPage() throws(APIError) {
        guard let use = headers[.fetchDestination]?.lowercased(), !["document", "empty"].contains(use) else { return }
        throw APIError(.forbidden, "a page may not load this as its \(use), since that changes something")
    }
}
