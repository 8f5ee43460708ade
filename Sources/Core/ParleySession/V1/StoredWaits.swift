import ParleyModel
import ParleyWire

/// Sends whose senders want an ack when they are stored, and `stored` events, which may arrive first.
struct StoredWaits: Sendable {
    struct Wait: Hashable, Sendable {
        /// The number of the command.
        let number: UInt64
        let ref: Int64
        let clientID: String?
        var receipt: Receipt
        /// When the log accepted it, in microseconds.
        let since: Int64
        var isStored = false

        var ack: V1Ack { V1Ack(ref: ref, receipt: receipt, level: .stored, clientID: clientID) }
    }

    private struct Place: Hashable, Sendable {
        let thread: ThreadID
        /// The same seq of another epoch is another message: one that Redis has lost is not stored.
        let position: Position

        func isPlace(of receipt: Receipt) -> Bool { thread == receipt.thread && position == receipt.position }
    }

    /// Maximum number of waiting sends.
    static let limit = 256
    /// Maximum number of `stored` events kept for sends whose position is not known yet.
    private static let earlySignalLimit = 256
    /// The time to wait for a `stored` event before the store is queried, since an interruption of the bus may lose the
    /// event; in microseconds.
    static let timeout: Int64 = 2_000_000

    private var waits: [Wait] = []
    /// Kept only while sends are in flight to the log.
    private var earlySignals: [Place] = []
    /// Sends in flight to the log.
    private var unplaced: Int16 = 0

    /// Neither waiting sends nor sends in flight.
    var isIdle: Bool { waits.isEmpty && unplaced == 0 }
    var isEmpty: Bool { waits.isEmpty }
    var isFull: Bool { waits.count + Int(unplaced) >= Self.limit }

    /// A send goes to the log.
    mutating func began() {
        unplaced += 1
    }

    /// The log did not accept a send.
    mutating func failed() {
        placed()
    }

    /// The log accepted a send.
    mutating func accepted(_ wait: Wait) {
        var wait = wait
        wait.isStored = earlySignals.contains { $0.isPlace(of: wait.receipt) }
        waits.append(wait)
        placed()
    }

    /// The event at this position has been stored.
    mutating func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch) {
        let place = Place(thread: thread, position: Position(epoch: epoch, seq: seq))
        for index in waits.indices where place.isPlace(of: waits[index].receipt) { waits[index].isStored = true }
        if unplaced > 0, earlySignals.count < Self.earlySignalLimit { earlySignals.append(place) }
    }

    /// The event of a receipt has been found in the store. The ack has the position at which it is stored.
    mutating func found(_ stored: StoredReceipt) {
        let asked = Place(thread: stored.receipt.thread, position: stored.receipt.position)
        for index in waits.indices where !waits[index].isStored && asked.isPlace(of: waits[index].receipt) {
            waits[index].isStored = true
            waits[index].receipt.position = stored.position
        }
    }

    /// Removes and returns the sends that can be acknowledged, in order.
    /// - Parameter hasFirstAck: whether the first ack of the send of this number has been sent.
    mutating func take(hasFirstAck: (UInt64) -> Bool) -> [Wait] {
        let ready = waits.filter { $0.isStored && hasFirstAck($0.number) }
        if ready.isEmpty { return [] }
        waits.removeAll { $0.isStored && hasFirstAck($0.number) }
        if waits.isEmpty { waits = [] }
        return ready
    }

    /// Sends without a `stored` event for too long.
    func overdue(at now: Int64) -> [Receipt] {
        waits.filter { !$0.isStored && now - $0.since >= Self.timeout }.map(\.receipt)
    }

    private mutating func placed() {
        unplaced -= 1
        if unplaced == 0 { earlySignals = [] }
    }
}
