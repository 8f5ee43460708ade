/// Who may do what to a message; each answer is what forbids it, or `nil`.
package enum MessageRights {
    /// Sending, editing, deleting, reacting and typing all are writing.
    package static func flaw(writingAs membership: Membership) -> RightsFlaw? {
        membership.role == .readOnly ? .readOnly : nil
    }

    package static func flaw(editing message: MessagePlace, by user: UserID) -> RightsFlaw? {
        if message.sender != user { return .notTheAuthor }
        return message.isGone ? .goneMessage : nil
    }

    /// What is deleted already may be deleted again, which does nothing.
    package static func flaw(
        deleting message: MessagePlace, by user: UserID, in membership: Membership
    ) -> RightsFlaw? {
        switch membership.role {
        case .owner, .moderator: nil
        case .member: message.sender == user ? nil : .notTheirs
        case .readOnly: .readOnly
        }
    }

    package static func flaw(reactingTo message: MessagePlace) -> RightsFlaw? {
        message.isGone ? .goneMessage : nil
    }
}
