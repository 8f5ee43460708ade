import ParleyModel
import ParleyStorage

/// The entries of a transaction's batches that are rejected.
struct PendingRejects {
    private struct Reject {
        var partition: Partition
        var incarnation: String
        var entry: RejectedEntry
    }

    private var rejects: [Reject] = []

    var isEmpty: Bool { rejects.isEmpty }

    /// - Parameter batch: the batch that contains the entry.
    mutating func add(_ entry: RejectedEntry, of batch: IngestBatch) {
        rejects.append(Reject(partition: batch.partition, incarnation: batch.incarnation, entry: entry))
    }

    /// Returns the statement that writes the rejected entries.
    func call(at milliseconds: Int64) -> Call {
        let entries = rejects.map(\.entry)
        return WriteQueries.reject(
            .ints(rejects.map { Int64($0.partition.number) }), .texts(rejects.map(\.incarnation)),
            .texts(entries.map(\.offset)), .texts(entries.map(\.reason)), .byteStrings(entries.map(\.bytes)),
            .int(milliseconds), .optionalTexts(entries.map(\.thread)), .optionalTexts(entries.map(\.user)),
            .optionalTexts(entries.map(\.message)))
    }
}
