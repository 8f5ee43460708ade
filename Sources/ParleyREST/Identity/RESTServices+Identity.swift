import HTTPTypes
import Hummingbird
import ParleyAccounts
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

    /// The user who sends the request; an API key must act for one.
    func identity(_ request: Request, _ context: RESTContext, changesState: Bool) async throws(APIError) -> Identity {
        switch try await principal(request, context, changesState: changesState) {
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
