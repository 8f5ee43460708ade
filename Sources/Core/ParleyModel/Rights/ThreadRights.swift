/// The rules for who may change a thread and its members. Each function returns the violation, or `nil`.
package enum ThreadRights {
    /// Checks the right to change the title or the visibility, or to delete the thread.
    package static func violation(changingAs membership: Membership) -> RightsViolation? {
        if membership.thread.kind == .direct { return .directThread }
        return membership.role == .owner ? nil : .notTheOwner
    }

    /// Checks the right to give a role to a member or a new member.
    /// - Parameters:
    ///   - present: The current role; `nil` for a new member.
    ///   - role: The new role.
    package static func violation(
        giving role: Membership.Role, insteadOf present: Membership.Role?, as membership: Membership
    ) -> RightsViolation? {
        if membership.thread.kind == .direct { return .directThread }
        switch membership.role {
        case .owner: return nil
        case .moderator: return isPlain(role) && present.map(isPlain) ?? true ? nil : .notAModerator
        case .member: return role == .member && present == nil && membership.has(.add) ? nil : .notAModerator
        case .readOnly: return .notAModerator
        }
    }

    /// Checks the right to change the details of a room: its texts and its slow mode, for the owner also its rights, and
    /// whether it is archived.
    package static func violation(_ update: RoomUpdate, as membership: Membership) -> RightsViolation? {
        if membership.thread.kind == .direct { return .directThread }
        switch membership.role {
        case .owner: return nil
        case .moderator: return update.isForOwner ? .notTheOwner : nil
        case .member, .readOnly: return update.isForOwner ? .notTheOwner : .notAModerator
        }
    }

    /// Checks the right to remove another member. Everyone may leave.
    package static func violation(removing present: Membership.Role, as membership: Membership) -> RightsViolation? {
        if membership.thread.kind == .direct { return .directThread }
        switch membership.role {
        case .owner: return nil
        case .moderator: return isPlain(present) ? nil : .notAModerator
        case .member, .readOnly: return .notAModerator
        }
    }

    /// Checks the right to mute or ban a user, and to end a sanction.
    /// - Parameter present: The user's current role; `nil` for a user who is not a member.
    package static func violation(
        sanctioning present: Membership.Role?, as membership: Membership
    ) -> RightsViolation? {
        violation(removing: present ?? .member, as: membership)
    }

    /// Checks the right to make, list and revoke links into a room.
    package static func violation(managingLinksAs membership: Membership) -> RightsViolation? {
        if membership.thread.kind == .direct { return .directThread }
        switch membership.role {
        case .owner, .moderator: return nil
        case .member, .readOnly: return .notAModerator
        }
    }

    /// Checks the right to decide who comes in by invitations and requests.
    package static func violation(letting membership: Membership) -> RightsViolation? {
        violation(removing: .member, as: membership)
    }

    /// Whether moderators may grant and revoke a role.
    private static func isPlain(_ role: Membership.Role) -> Bool {
        switch role {
        case .member, .readOnly: true
        case .owner, .moderator: false
        }
    }
}
