import ParleyModel
import ParleyWire

/// Who may do what to a message.
enum MessageRights {
    /// Why a member may not write in a thread; `nil` if they may.
    static func flaw(writingAs membership: Membership) -> V1Failure? {
        membership.role == .readOnly ? .readOnly : nil
    }

    /// Why a member may not edit; `nil` if they may.
    static func flaw(editing message: FoundMessage, by user: UserID) -> V1Failure? {
        if message.sender != user { return .notTheAuthor }
        return message.isGone ? .deletedMessage : nil
    }

    /// Why a member may not delete; `nil` if they may, or it is done already.
    static func flaw(deleting message: FoundMessage, by user: UserID, in membership: Membership) -> V1Failure? {
        switch membership.role {
        case .owner, .moderator: nil
        case .member: message.sender == user ? nil : .notTheirs
        case .readOnly: .readOnly
        }
    }

    /// Why a member may not react; `nil` if they may.
    static func flaw(reactingTo message: FoundMessage) -> V1Failure? {
        message.isGone ? .deletedMessage : nil
    }
}
