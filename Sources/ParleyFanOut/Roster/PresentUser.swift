package import ParleyModel

/// What an event loop knows of a user who has sockets on it, at one moment.
package struct PresentUser: Sendable {
    package let user: User
    package let memberships: [Membership]
    /// By which sessions the sockets were opened.
    package let sessions: Set<TokenHash>
}
