package import ParleyModel
package import ParleyWire

/// A message to be appended to a log.
package struct V1Append: Hashable, Sendable {
    /// The number of the command.
    package let number: UInt64
    /// The user's membership in the target thread.
    package let membership: Membership
    package var send: V1Send
    /// The id that the message's attachments were recorded under; `nil` if it has none.
    package var messageID: MessageID?
    /// See `EventDraft.wantsStored`.
    package let wantsStored: Bool

    package init(number: UInt64, membership: Membership, send: V1Send, wantsStored: Bool = false) {
        self.number = number
        self.membership = membership
        self.send = send
        self.wantsStored = wantsStored
    }
}
