/// The fields of a request that identify its sender, as read by a listener.
package struct PresentedCredentials: Sendable {
    /// The `Authorization` header.
    package var authorization: String?
    /// The `X-Parley-User` header: a `UserReference` to the user for whom an API key acts.
    package var actingUser: String?
    /// The `Cookie` header lines; only the first counts.
    package var cookies: [String]
    package var origin: String?
    package var host: String?
    /// The `ticket` query parameter.
    package var ticket: String?
    /// The client's address, for the login limits.
    package var address: String
    /// An HTTP read (GET or HEAD): a foreign page cannot see the response, so the `Origin` does not matter. A WebSocket
    /// upgrade does not count, though it is a GET.
    package var isSafeMethod: Bool

    package init(
        authorization: String? = nil, actingUser: String? = nil, cookies: [String] = [], origin: String? = nil,
        host: String? = nil, ticket: String? = nil, address: String, isSafeMethod: Bool = false
    ) {
        self.authorization = authorization
        self.actingUser = actingUser
        self.cookies = cookies
        self.origin = origin
        self.host = host
        self.ticket = ticket
        self.address = address
        self.isSafeMethod = isSafeMethod
    }

    /// The value of the device cookie, if there is one.
    /// - Parameter sessionCookie: the name of the session cookie.
    func device(beside sessionCookie: String?) -> String? {
        sessionCookie.flatMap { CookieHeader.value(of: DeviceTokens.cookieName(beside: $0), in: cookies) }
    }
}
