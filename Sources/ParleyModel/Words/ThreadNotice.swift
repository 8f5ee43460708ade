/// Something the members of a thread see that is not in its log: no seq, never stored, lost if nobody listens.
package enum ThreadNotice: Hashable, Sendable {
    /// A guest of the line door came in.
    case guestJoined(String)
    /// A guest of the line door went away.
    case guestLeft(String)
}
