import ParleyAccounts

/// The cookie that contains the session token.
package struct SessionCookie: Sendable {
    /// The condition under which the cookie is restricted to TLS.
    package enum Secure: String, Hashable, Sendable {
        /// The cookie is restricted if the connection or a trusted proxy reports that the request that sets it came over TLS.
        case automatic
        case always
        case never
    }

    package var name: String
    /// The cookie's lifetime, which equals the session's.
    package var maxAgeSeconds: Int64
    package var secure: Secure

    package init(name: String = "sessionid", maxAgeSeconds: Int64 = 14 * 24 * 60 * 60, secure: Secure = .automatic) {
        self.name = name
        self.maxAgeSeconds = maxAgeSeconds
        self.secure = secure
    }

    /// The cookie that identifies a device after a login. It remains when the session ends.
    var ofDevice: SessionCookie {
        SessionCookie(
            name: DeviceTokens.cookieName(beside: name), maxAgeSeconds: DeviceTokens.lifetime.components.seconds,
            secure: secure)
    }

    /// Returns the `Set-Cookie` value that sets a token.
    func setting(_ token: String, overTLS: Bool) -> String {
        "\(name)=\(token); Max-Age=\(maxAgeSeconds); \(attributes(overTLS: overTLS))"
    }

    /// Returns the `Set-Cookie` value that clears the cookie. `Expires` is for clients that do not support `Max-Age`.
    func clearing(overTLS: Bool) -> String {
        "\(name)=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; \(attributes(overTLS: overTLS))"
    }

    private func attributes(overTLS: Bool) -> String {
        let isSecure = secure == .always || (secure == .automatic && overTLS)
        return "Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }
}
