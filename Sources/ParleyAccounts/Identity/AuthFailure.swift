/// Why a request was not authenticated. The texts are for the client: what was wrong, never a secret.
package enum AuthFailure: Error, Hashable, Sendable {
    /// Missing or invalid credentials: 401.
    case unauthorized(String)
    /// Valid credentials that may not be used here, such as a cookie from a foreign page: 403.
    case forbidden(String)
    /// Too many wrong passwords: 429.
    case rateLimited(retryAfterSeconds: Int)
    /// A backend is unavailable or overloaded: 503.
    case unavailable(String)
}
