/// Something the members of a thread see that is not in its log: no seq, never stored, lost if nobody listens.
package enum EphemeralEvent: Hashable, Sendable {
    /// A guest of the line door came in.
    case guestJoined(String)
    /// A guest of the line door went away.
    case guestLeft(String)
    /// A user writes something, or has stopped to.
    case typing(User, isOn: Bool)
    /// A user has read up to `seq`; `date` in Unix seconds.
    case read(UserID, seq: Int64, date: Int64)
    /// The event that the log has at `seq` is in the store; only for those that asked for it. `epoch`: of its numbering;
    /// `nil` if a node of an earlier version says so.
    case stored(seq: Int64, epoch: Epoch?)
}
