/// A message that a user sends, until it is known to be stored.
struct Send {
    let clientID: String
    let thread: String
    let text: String
    let wantsStored: Bool
    /// When it was first sent, in virtual nanoseconds.
    var firstSent: Int64?
    /// The connection that it was last sent on.
    var sentOn: Int?
    var isAccepted = false
    /// Not before this time.
    var notBefore: Int64 = 0
}
