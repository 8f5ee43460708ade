package import ParleyModel

/// The evidence in an ingest stream in Redis about its last stored entry, as a value.
///
/// Stored entries leave the stream, and the first id behind them is recorded beside it. A Redis that was set back has
/// neither the entry nor a record above it, regardless of the number of entries added since.
package struct LossEvidence: Hashable, Sendable {
    /// The first entry id that is not recorded as stored; `nil` without a record.
    package var unstored: String?
    /// Whether the last stored entry is in the stream.
    package var hasLastStored: Bool

    package init(unstored: String?, hasLastStored: Bool) {
        self.unstored = unstored
        self.hasLastStored = hasLastStored
    }

    /// Whether the stream has lost entries up to `checkpoint`, which are stored.
    package func showsLoss(of checkpoint: IngestCheckpoint) -> Bool {
        if hasLastStored { return false }
        guard let last = EntryID(checkpoint.offset), let unstored = unstored.flatMap({ EntryID($0) }) else {
            return true
        }
        return unstored <= last
    }
}

/// The id of an entry of a Redis stream.
struct EntryID: Comparable {
    let milliseconds: UInt64
    let number: UInt64

    /// Returns `nil` for another text.
    init?(_ text: String) {
        let parts = text.split(separator: "-")
        guard parts.count == 2, let milliseconds = UInt64(parts[0]), let number = UInt64(parts[1]) else { return nil }
        self.milliseconds = milliseconds
        self.number = number
    }

    /// The smallest id above this one, as text.
    var next: String { number == .max ? "\(milliseconds &+ 1)-0" : "\(milliseconds)-\(number + 1)" }

    static func < (one: EntryID, other: EntryID) -> Bool {
        (one.milliseconds, one.number) < (other.milliseconds, other.number)
    }
}
