/// The sender of a request.
package enum Principal: Hashable, Sendable {
    case user(Identity)
    /// An API key that acts for no user: it may read everything and administer, but not send.
    case service(apiKeyName: String)
}
