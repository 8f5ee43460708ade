/// What moderators have decided about a user in a thread that outlasts the membership.
///
/// They belong to the thread and the user. The stores keep them while the user is not a member: a membership that ends
/// as `read_only` leaves its restriction behind, a removal by somebody else adds one, and a new membership replaces both
/// with its role.
package struct Restrictions: Hashable, Sendable {
    /// The name of a restriction in the stores.
    package enum Kind: String, CaseIterable, Sendable {
        case removed
        case readOnly = "read_only"
    }

    package static let none = Restrictions()

    /// A moderator, the owner or an operator has ended the membership: only they can add the user again.
    package var isRemoved: Bool
    /// The membership ended as `read_only`, and the next one begins so.
    package var isReadOnly: Bool

    package init(isRemoved: Bool = false, isReadOnly: Bool = false) {
        self.isRemoved = isRemoved
        self.isReadOnly = isReadOnly
    }

    /// The role of a new member.
    /// - Parameter given: the role that the one who adds the member gives; `nil` for none.
    package func role(given: Membership.Role?) -> Membership.Role {
        given ?? (isReadOnly ? .readOnly : .member)
    }

    /// Whether a user may become a member without a moderator; returns the violation, or `nil`.
    /// - Parameter role: the role that the user wants; `nil` for any.
    package func violation(joiningAs role: Membership.Role?) -> RightsViolation? {
        if isRemoved { return .removed }
        return isReadOnly && (role ?? .readOnly) != .readOnly ? .readOnly : nil
    }
}
