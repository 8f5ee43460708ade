import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyMessaging
import ParleyModel

/// Authenticates the callers of routes, and charges their budgets.
struct RequestCallers: Sendable {
    /// A request whose caller must be found.
    struct Call: Sendable {
        let request: Request
        let context: RESTContext
        /// The budget that it is charged to.
        let budget: BudgetKind?
        /// Whether it changes nothing: a foreign page may then send it with a cookie, since it cannot see the response.
        let isSafe: Bool
    }

    let authenticator: Authenticator
    let operators: Operators
    let origins: OriginPolicy
    /// `nil` if no route has one.
    let budgets: Budgets?

    /// The sender of a request, charged if it is a user.
    func principal(_ call: Call) async throws(APIError) -> Principal {
        let principal = try await authenticated(call)
        if case .user(let identity) = principal { try charge(identity.user.id, call) }
        return principal
    }

    /// - Throws: also 403 for a user who may not use `/v1/admin`.
    func requireOperator(_ call: Call) async throws(APIError) -> Operator {
        let principal = try await authenticated(call)
        do {
            return try await operators.require(principal, logger: call.context.logger)
        } catch {
            throw APIError(error)
        }
    }

    /// Charges a request to a user's budget; it is in progress until its response is complete.
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
    /// The page that made a browser send the request, if known; `nil` for programs, and for addresses typed by a user
    /// or actions on a page of this host.
    ///
    /// With a navigation by GET browsers send no `Origin`, but Fetch Metadata reports that another site or origin has
    /// led to it; the page is then the one named by `Referer`, or `null`.
    fileprivate var pageOrigin: String? {
        if let origin = headers[.origin] { return origin }
        guard ["cross-site", "same-site"].contains(headers[.fetchSite]?.lowercased()) else { return nil }
        let parts = (headers[.referer] ?? "").split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count > 2 ? "\(parts[0])//\(parts[2])" : "null"
    }

    /// Rejects a GET that changes state when a page loads it as an image or another part of itself, whose page it ever
    /// is: a message may name any address as its picture.
    ///
    /// Browsers say what they load a resource for; their scripts have "empty", old ones and programs say nothing.
    func refusePartOfPage() throws(APIError) {
        guard let use = headers[.fetchDestination]?.lowercased(), !["document", "empty"].contains(use) else { return }
        throw APIError(.forbidden, "a page may not load this as its \(use), since that changes something")
    }
}
