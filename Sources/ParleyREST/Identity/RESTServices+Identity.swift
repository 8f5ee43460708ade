import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyMessaging
import ParleyModel

extension PresentedCredentials {
    /// - Parameter changesState: rejects a cookie sent from a foreign origin, regardless of the method.
    init(_ request: Request, _ context: RESTContext, changesState: Bool) {
        self.init(
            authorization: request.headers[.authorization],
            actingUser: request.headers[.parleyUser],
            cookies: request.headers[values: .cookie],
            origin: request.pageOrigin,
            host: request.head.authority,
            address: context.client.text,
            isSafeMethod: !changesState)
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
}

extension RESTServices {
    /// Rejects a GET that changes state when a page loads it as an image or another part of itself, whose page it ever
    /// is: a message may name any address as its picture.
    ///
    /// Browsers say what they load a resource for; their scripts have "empty", old ones and programs say nothing.
    func refusePartOfPage(_ request: Request) throws(APIError) {
        guard let use = request.headers[.fetchDestination]?.lowercased(), !["document", "empty"].contains(use) else {
            return
        }
        throw APIError(.forbidden, "a page may not load this as its \(use), since that changes something")
    }

    /// The sender of the request.
    /// - Parameter changesState: rejects a cookie sent from a foreign origin, regardless of the method.
    func principal(_ request: Request, _ context: RESTContext, changesState: Bool) async throws(APIError) -> Principal {
        do {
            return try await auth.authenticator.authenticate(
                PresentedCredentials(request, context, changesState: changesState))
        } catch {
            throw APIError(error)
        }
    }

    /// The sender of a request that reads. It is charged to the budget of the user, if there is one; back ends that act
    /// for no user have none.
    /// - Parameter budget: `lists`, `history`, `searches` or `files`.
    func reader(
        _ request: Request, _ context: RESTContext, _ budget: BudgetKind = .lists
    ) async throws(APIError) -> Principal {
        let principal = try await principal(request, context, changesState: false)
        if case .user(let identity) = principal { try charge(identity.user.id, budget, context) }
        return principal
    }

    /// The user who sends a request that reads, charged; an API key must act for one.
    func readingUser(
        _ request: Request, _ context: RESTContext, _ budget: BudgetKind = .lists
    ) async throws(APIError) -> Identity {
        try Self.identity(await reader(request, context, budget))
    }

    /// Charges a reading request to a user's budget; the request is in progress until its response is complete.
    /// - Throws: 429 with `Retry-After`.
    func charge(_ user: UserID, _ budget: BudgetKind, _ context: RESTContext) throws(APIError) {
        do {
            if let use = try commands.budgets.begin(budget, by: user) { context.uses.keep(use) }
        } catch {
            throw APIError(error)
        }
    }

    /// The user who sends the request; an API key must act for one.
    func identity(_ request: Request, _ context: RESTContext, changesState: Bool) async throws(APIError) -> Identity {
        try Self.identity(await principal(request, context, changesState: changesState))
    }

    private static func identity(_ principal: Principal) throws(APIError) -> Identity {
        switch principal {
        case .user(let identity): return identity
        case .service: throw APIError(.forbidden, "an API key requires X-Parley-User for this")
        }
    }

    /// The session token in a request, as `Authenticator` reads it.
    func sessionToken(in request: Request) -> String? {
        if let authorization = request.headers[.authorization].flatMap(AuthorizationHeader.init) {
            guard case .bearer(let token) = authorization else { return nil }
            return token
        }
        return CookieHeader.value(of: settings.cookie.name, in: request.headers[values: .cookie])
    }

    /// The value of the device cookie, if there is one.
    func deviceToken(in request: Request) -> String? {
        CookieHeader.value(of: settings.cookie.ofDevice.name, in: request.headers[values: .cookie])
    }

    /// Clears the session cookie, unless it belongs to another system that uses the same name.
    func clearedCookie(_ request: Request, _ context: RESTContext) -> HTTPFields {
        let value = CookieHeader.value(of: settings.cookie.name, in: request.headers[values: .cookie]) ?? ""
        guard value.isEmpty || SessionTokens.isToken(value) else { return [:] }
        return [.setCookie: settings.cookie.clearing(overTLS: context.client.isSecure)]
    }

    /// Rejects a page of a foreign origin that would log its visitor in as another user.
    func refuseForeignOrigin(_ request: Request) throws(APIError) {
        guard settings.origins.allows(origin: request.headers[.origin], host: request.head.authority) else {
            throw APIError(.forbidden, "logging in is not allowed from this Origin")
        }
    }
}
