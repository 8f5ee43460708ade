/// A fault of a `FakeCluster`, or a disturbance that clients must tolerate. Numbers count from 1.
enum FakeFault: Hashable, Sendable {
    // Faults.
    /// This delivery is not made; or made twice; or made after the next one of the same socket.
    case drops(delivery: Int)
    case doubles(delivery: Int)
    case swaps(delivery: Int)
    /// The message with this seq of the first thread is missing in the history, or is there twice.
    case losesInStore(seq: Int64)
    case doublesInStore(seq: Int64)
    /// The history has another message at this seq of the first thread.
    case reusesSeq(seq: Int64)
    case miscountsUnread
    /// This send is never acknowledged, though it is in the log.
    case isSilent(send: Int)
    /// This send is acknowledged and then lost.
    case forgets(send: Int)
    /// The replay at a resume lacks its last event.
    case cutsReplays

    // Disturbances.
    /// One in this many sends is rejected as retryable.
    case refusesOften(every: Int)
    /// After this many deliveries all sockets are closed with this code; once.
    case closesAll(afterDelivery: Int, code: UInt16)
    /// As `closesAll`, without a close frame.
    case cutsAll(afterDelivery: Int)
    /// This many deliveries of one socket are skipped and reported.
    case leavesOut(fromDelivery: Int, count: Int)
    /// Events missing at a resume are to be fetched.
    case makesPages
    /// After this many deliveries the node sends bye with this delay.
    case saysBye(afterDelivery: Int, milliseconds: Int64)
    /// After this many deliveries a new epoch begins; the last events, which were not stored, are lost.
    case startsOver(afterDelivery: Int, loses: Int)
}
