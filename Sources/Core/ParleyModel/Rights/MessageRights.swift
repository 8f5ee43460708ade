/// The rules for who may change a message. Each function returns the violation, or `nil`.
package enum MessageRights {
    /// Sending, editing, deleting, reacting and typing all count as writing.
    package static func violation(writingAs membership: Membership) -> RightsViolation? {
        if membership.role == .readOnly { return .readOnly }
        if membership.options.isArchived { return .archived }
        if membership.isBlocked { return .blockedDirect }
        return membership.has(.write) ? nil : .moderatorsWrite
    }

    /// Checks the content of a message of a member who may write.
    /// - Parameter texts: The text and the texts of the parts.
    package static func violation(
        sending texts: @autoclosure () -> [String], attaching isAttaching: Bool, as membership: Membership
    ) -> RightsViolation? {
        if isAttaching, !membership.has(.attach) { return .moderatorsAttach }
        if !membership.has(.mention), texts().contains(where: RoomMention.isIn) { return .moderatorsMention }
        return nil
    }

    /// Only the author may edit, and only a message that still has its text.
    package static func violation(editing message: MessagePlace, by user: UserID) -> RightsViolation? {
        if message.sender != user { return .notTheAuthor }
        return message.isGone ? .goneMessage : nil
    }

    /// Deleting a message again is allowed and has no effect.
    package static func violation(
        deleting message: MessagePlace, by user: UserID, in membership: Membership
    ) -> RightsViolation? {
        switch membership.role {
        case .owner, .moderator: nil
        case .member: message.sender == user ? nil : .notTheirs
        case .readOnly: .readOnly
        }
    }

    /// A message without its text takes no reactions.
    package static func violation(reactingTo message: MessagePlace) -> RightsViolation? {
        message.isGone ? .goneMessage : nil
    }
}
