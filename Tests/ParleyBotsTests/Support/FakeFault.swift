/// What a `FakeCluster` does wrong, or does that a good client must bear. Numbers count from 1.
enum FakeFault: Hashable, Sendable {
    // Wrong.
    /// This one of all deliveries is not made; or twice; or after the next one of the same socket.
    case drops(delivery: Int)
    case doubles(delivery: Int)
    case swaps(delivery: Int)
    /// The message with this seq of the first thread is missing in the history, or stands there twice.
    case losesInStore(seq: Int64)
    case doublesInStore(seq: Int64)
    /// The history has another message at this seq of the first thread.
    case reusesSeq(seq: Int64)
    case miscountsUnread
    /// This one of all sends is never acknowledged, though it is in the log.
    case isSilent(send: Int)
    /// This one of all sends is acknowledged and then forgotten.
    case forgets(send: Int)
    /// The replay at a resume lacks its last event.
    case cutsReplays

    // Right, and hard for a client.
    /// Every so many sends one is refused, to be tried again.
    case refusesOften(every: Int)
    /// After so many deliveries all sockets are closed with this code; once.
    case closesAll(afterDelivery: Int, code: UInt16)
    /// As `closesAll`, without a close frame.
    case cutsAll(afterDelivery: Int)
    /// So many deliveries of one socket are left out and named.
    case leavesOut(fromDelivery: Int, count: Int)
    /// What a resume lacks is to be fetched.
    case makesPages
    /// After so many deliveries the node says goodbye, with this delay.
    case saysBye(afterDelivery: Int, milliseconds: Int64)
    /// After so many deliveries a new epoch begins; what was in the log and not stored, its last events, is gone.
    case startsOver(afterDelivery: Int, loses: Int)
}
