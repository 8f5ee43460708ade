/// Who may do what to a message; each answer is what forbids it, or `nil`.
package enum MessageRights {
    /// Sending, editing, deleting, reacting and typing all are writing.
    package static func violation(writingAs membership: Membership) -> RightsViolation? {
        membership.role == .readOnly ? .readOnly : nil
    }

    package static func violation(editing message: MessagePlace, by user: UserID) -> RightsViolation? {
        if message.sender != user { return .notTheAuthor }
        return message.isGone ? .goneMessage : nil
    }

    /// What is deleted already may be deleted again, which does nothing.
    package static func violation(
        deleting message: MessagePlace, by user: UserID, in membership: Membership
    ) -> RightsViolation? {
        switch membership.role {
        case .owner, .moderator: nil
        case .member: message.sender == user ? nil : .notTheirs
        case .readOnly: .readOnly
        }
    }

    package static func violation(reactingTo message: MessagePlace) -> RightsViolation? {
        message.isGone ? .goneMessage : nil
    }
}
