/// The rules for who may change a thread and its members; each function returns the violation, or `nil`.
package enum ThreadRights {
    /// Changing the title or the visibility, or deleting the thread.
    package static func violation(changingAs membership: Membership) -> RightsViolation? {
        if membership.thread.kind == .direct { return .directThread }
        return membership.role == .owner ? nil : .notTheOwner
    }

    /// Giving a role to a member or a new member.
    /// - Parameters:
    ///   - present: the present role; `nil` for a new member.
    ///   - role: the new role.
    package static func violation(
        giving role: Membership.Role, insteadOf present: Membership.Role?, as membership: Membership
    ) -> RightsViolation? {
        if membership.thread.kind == .direct { return .directThread }
        switch membership.role {
        case .owner: return nil
        case .moderator: return isPlain(role) && present.map(isPlain) ?? true ? nil : .notAModerator
        case .member, .readOnly: return .notAModerator
        }
    }

    /// Removing another member. Everyone may leave.
    package static func violation(removing present: Membership.Role, as membership: Membership) -> RightsViolation? {
        if membership.thread.kind == .direct { return .directThread }
        switch membership.role {
        case .owner: return nil
        case .moderator: return isPlain(present) ? nil : .notAModerator
        case .member, .readOnly: return .notAModerator
        }
    }

    /// Roles that moderators may grant and revoke.
    private static func isPlain(_ role: Membership.Role) -> Bool {
        switch role {
        case .member, .readOnly: true
        case .owner, .moderator: false
        }
    }
}
