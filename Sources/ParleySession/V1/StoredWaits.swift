import ParleyModel
import ParleyWire

/// Sends whose senders want to be told when the store has them, and the news of that, which may come first.
struct StoredWaits: Sendable {
    struct Wait: Hashable, Sendable {
        /// Of the command.
        let number: UInt64
        let ref: Int64
        let clientID: String?
        let receipt: Receipt
        /// When the log had it, microseconds.
        let since: Int64
        var isStored = false

        var ack: V1Ack { V1Ack(ref: ref, receipt: receipt, level: .stored, clientID: clientID) }
    }

    private struct Place: Hashable, Sendable {
        let thread: ThreadID
        let seq: Int64
        /// `nil` if it is not known.
        let epoch: Epoch?

        /// The same seq of another numbering is another message: one that Redis has lost is not stored.
        func isPlace(of receipt: Receipt) -> Bool {
            thread == receipt.thread && seq == receipt.position.seq
                && (epoch == nil || epoch == receipt.position.epoch)
        }
    }

    /// The most sends that wait.
    static let limit = 256
    /// The most news that are kept for sends of which it is not known yet where they are.
    private static let newsLimit = 256
    /// How long to rely on the news before the store is asked, which a cut of the bus may make necessary; microseconds.
    static let timeout: Int64 = 2_000_000

    private var waits: [Wait] = []
    /// Sends on their way to the log.
    private var unplaced = 0
    /// Kept only while sends are on their way to the log.
    private var news: [Place] = []

    /// Neither a send nor news.
    var isIdle: Bool { waits.isEmpty && unplaced == 0 }
    var isEmpty: Bool { waits.isEmpty }
    var isFull: Bool { waits.count + unplaced >= Self.limit }

    /// A send goes to the log.
    mutating func began() {
        unplaced += 1
    }

    /// The log did not take a send.
    mutating func failed() {
        placed()
    }

    /// The log has taken a send.
    mutating func accepted(_ wait: Wait) {
        var wait = wait
        wait.isStored = news.contains { $0.isPlace(of: wait.receipt) }
        waits.append(wait)
        placed()
    }

    /// The store has what the log has at this place.
    mutating func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch?) {
        let place = Place(thread: thread, seq: seq, epoch: epoch)
        for index in waits.indices where place.isPlace(of: waits[index].receipt) { waits[index].isStored = true }
        if unplaced > 0, news.count < Self.newsLimit { news.append(place) }
    }

    /// Those whose time has come, in the order of their sends.
    /// - Parameter isTold: whether the sender knows that the log has the send of this number.
    mutating func take(isTold: (UInt64) -> Bool) -> [Wait] {
        let ready = waits.filter { $0.isStored && isTold($0.number) }
        if ready.isEmpty { return [] }
        waits.removeAll { $0.isStored && isTold($0.number) }
        if waits.isEmpty { waits = [] }
        return ready
    }

    /// Those for which no news came for long.
    func overdue(at now: Int64) -> [Receipt] {
        waits.filter { !$0.isStored && now - $0.since >= Self.timeout }.map(\.receipt)
    }

    private mutating func placed() {
        unplaced -= 1
        if unplaced == 0 { news = [] }
    }
}
