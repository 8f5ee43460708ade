package import ParleyModel
package import ParleyWire

/// A message on its way to the log.
package struct V1Append: Hashable, Sendable {
    /// Names the command to which the answer belongs.
    package let number: UInt64
    /// The user's place in the thread it goes to.
    package let membership: Membership
    package let send: V1Send
    /// See `EventDraft.wantsStored`.
    package let wantsStored: Bool

    package init(number: UInt64, membership: Membership, send: V1Send, wantsStored: Bool = false) {
        self.number = number
        self.membership = membership
        self.send = send
        self.wantsStored = wantsStored
    }
}
