/// What a request says about who sends it, as the doors read it.
package struct PresentedCredentials: Sendable {
    /// The `Authorization` header.
    package var authorization: String?
    /// The `X-Parley-User` header: id or name of the user an API key acts for.
    package var actingUser: String?
    /// The `Cookie` header lines; only the first counts.
    package var cookies: [String]
    package var origin: String?
    package var host: String?
    /// The `ticket` of the query.
    package var ticket: String?
    /// The client's address, for the limits on logins.
    package var address: String
    /// A read over HTTP (GET or HEAD): what it answers, a foreign page cannot see, so the `Origin` does not matter.
    /// A WebSocket upgrade is not one, though it is a GET.
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
}
