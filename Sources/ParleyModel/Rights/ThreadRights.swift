/// Who may change a thread and its members; each answer is what forbids it, or `nil`.
package enum ThreadRights {
    /// A new title, or the end of the thread.
    package static func violation(changingAs membership: Membership) -> RightsViolation? {
        if membership.thread.kind == .direct { return .directThread }
        return membership.role == .owner ? nil : .notTheOwner
    }

    /// Giving somebody a role, a newcomer or a member.
    /// - Parameters:
    ///   - present: the role they have; `nil` for a newcomer.
    ///   - role: the role they are to have.
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

    /// Ending somebody else's membership. One's own may be ended by anybody.
    package static func violation(removing present: Membership.Role, as membership: Membership) -> RightsViolation? {
        if membership.thread.kind == .direct { return .directThread }
        switch membership.role {
        case .owner: return nil
        case .moderator: return isPlain(present) ? nil : .notAModerator
        case .member, .readOnly: return .notAModerator
        }
    }

    /// Roles that moderators hand out and take away.
    private static func isPlain(_ role: Membership.Role) -> Bool {
        switch role {
        case .member, .readOnly: true
        case .owner, .moderator: false
        }
    }
}
