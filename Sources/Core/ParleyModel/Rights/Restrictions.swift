/// The decisions of moderators about a user in a thread that outlast the membership.
///
/// Restrictions belong to the thread and the user. The stores keep them while the user is not a member: a membership that ends
/// as `read_only` leaves its restriction behind, a removal by another user adds one, and a new membership replaces both with
/// its role.
package struct Restrictions: Hashable, Sendable {
    /// The name of a restriction in the stores.
    package enum Kind: String, CaseIterable, Sendable {
        case removed
        case readOnly = "read_only"
    }

    package static let none = Restrictions()

    /// Whether a moderator, the owner or an operator ended the membership. Only they can add the user again.
    package var isRemoved: Bool
    /// Whether the membership ended as `read_only`. The next one then begins as `read_only`.
    package var isReadOnly: Bool

    package init(isRemoved: Bool = false, isReadOnly: Bool = false) {
        self.isRemoved = isRemoved
        self.isReadOnly = isReadOnly
    }

    /// Returns the role of a new member.
    /// - Parameter given: The role that was requested for the new member; `nil` for none.
    package func role(given: Membership.Role?) -> Membership.Role {
        given ?? (isReadOnly ? .readOnly : .member)
    }

    /// Returns the reason that a user may not become a member without a moderator, or `nil`.
    /// - Parameter role: The role that the user wants; `nil` for any.
    package func violation(joiningAs role: Membership.Role?) -> RightsViolation? {
        if isRemoved { return .removed }
        return isReadOnly && (role ?? .readOnly) != .readOnly ? .readOnly : nil
    }
}
