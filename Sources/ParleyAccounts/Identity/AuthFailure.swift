/// Why nobody was recognised. The texts are for the client: what was wrong, never a secret.
package enum AuthFailure: Error, Hashable, Sendable {
    /// No or bad credentials: 401.
    case unauthorized(String)
    /// Good credentials in the wrong place, a cookie from a foreign page: 403.
    case forbidden(String)
    /// Too many wrong passwords: 429.
    case rateLimited(retryAfterSeconds: Int)
    /// What knows the answer is away or too busy: 503.
    case unavailable(String)
}
