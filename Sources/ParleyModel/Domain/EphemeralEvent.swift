/// An event that members of a thread see but that is not in its log: it has no seq, is never stored, and is lost if
/// nobody listens.
package enum EphemeralEvent: Hashable, Sendable {
    /// A guest of the line protocol joined.
    case guestJoined(String)
    /// A guest of the line protocol left.
    case guestLeft(String)
    /// A user started or stopped typing.
    case typing(User, isOn: Bool)
    /// A user has read up to `seq`; `date` is in Unix seconds.
    case read(UserID, seq: Int64, date: Int64)
    /// The event at `seq` has been stored; sent only to clients that requested it. `epoch` is the epoch of that seq;
    /// `nil` when sent by a node of an earlier version.
    case stored(seq: Int64, epoch: Epoch?)
}
