/// Who a request comes from.
package enum Principal: Hashable, Sendable {
    case user(Identity)
    /// An API key that acts for no user: it may read everything and administrate, but not send.
    case service(apiKeyName: String)
}
