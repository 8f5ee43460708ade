package import ParleyModel

/// An event on its way to the log.
package struct V1Append: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case message(text: String, clientID: String?, parts: [MessagePart], replyTo: Int64?)
        case event(LogEvent.Body)
    }

    /// Names the command to which the answer belongs.
    package let number: UInt64
    /// The user's place in the thread it goes to.
    package let membership: Membership
    package let content: Content
    /// See `EventDraft.wantsStored`.
    package let wantsStored: Bool

    package init(number: UInt64, membership: Membership, content: Content, wantsStored: Bool = false) {
        self.number = number
        self.membership = membership
        self.content = content
        self.wantsStored = wantsStored
    }
}
