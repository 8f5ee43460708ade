/// The cookie that carries the session token.
package struct SessionCookie: Sendable {
    /// When browsers may send it over TLS only.
    package enum Secure: String, Hashable, Sendable {
        /// If the request that made it came by TLS, as far as the connection or a trusted proxy tells.
        case automatic
        case always
        case never
    }

    package var name: String
    /// How long browsers keep it; as long as the session lives.
    package var maxAgeSeconds: Int64
    package var secure: Secure

    package init(name: String = "sessionid", maxAgeSeconds: Int64 = 14 * 24 * 60 * 60, secure: Secure = .automatic) {
        self.name = name
        self.maxAgeSeconds = maxAgeSeconds
        self.secure = secure
    }

    /// The value of `Set-Cookie` that hands out a token.
    func setting(_ token: String, overTLS: Bool) -> String {
        "\(name)=\(token); Max-Age=\(maxAgeSeconds); \(attributes(overTLS: overTLS))"
    }

    /// The value of `Set-Cookie` that takes it back; `Expires` is for clients that do not know `Max-Age`.
    func clearing(overTLS: Bool) -> String {
        "\(name)=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; \(attributes(overTLS: overTLS))"
    }

    private func attributes(overTLS: Bool) -> String {
        let isSecure = secure == .always || (secure == .automatic && overTLS)
        return "Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }
}
