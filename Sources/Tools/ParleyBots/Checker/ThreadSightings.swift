/// The events that the sockets of one event loop saw in a thread, by epoch and seq.
///
/// One entry for each event, however many sockets saw it.
package struct ThreadSightings: Codable, Hashable, Sendable {
    /// The events seen in one epoch.
    package struct EpochSightings: Codable, Hashable, Sendable {
        package let epoch: [UInt8]
        /// The seq of the first tag.
        package fileprivate(set) var first: Int64
        /// 0 for seqs that were not seen.
        package fileprivate(set) var tags: [UInt64] = []

        /// The tag seen at this seq.
        func raw(_ seq: Int64) -> UInt64? {
            let (offset, overflow) = seq.subtractingReportingOverflow(first)
            guard !overflow, tags.indices.contains(Int(offset)), tags[Int(offset)] != 0 else { return nil }
            return tags[Int(offset)]
        }
    }

    enum Outcome: Hashable {
        case new, known
        /// Another event was seen at this seq.
        case differs(MessageTag)
        /// The seq is too far from all others to be recorded.
        case tooFar
    }

    /// Maximum distance between seqs of an epoch.
    private static let maximumSpan: Int64 = 20_000_000

    /// In the order of their first event.
    package private(set) var epochs: [EpochSightings] = []

    /// The index of an epoch; a new one if it is unknown.
    mutating func index(of epoch: UnsafeRawBufferPointer) -> Int32 {
        for index in epochs.indices.reversed() where epochs[index].epoch.elementsEqual(epoch) { return Int32(index) }
        epochs.append(EpochSightings(epoch: Array(epoch), first: 0))
        return Int32(epochs.count - 1)
    }

    /// Whether `epoch` has this index.
    func matches(_ epoch: UnsafeRawBufferPointer, _ index: Int32) -> Bool {
        epochs[Int(index)].epoch.elementsEqual(epoch)
    }

    mutating func record(_ tag: MessageTag, epoch index: Int32, seq: Int64) -> Outcome {
        epochs[Int(index)].record(tag, seq, Self.maximumSpan)
    }
}

extension ThreadSightings.EpochSightings {
    fileprivate mutating func record(_ tag: MessageTag, _ seq: Int64, _ span: Int64) -> ThreadSightings.Outcome {
        if tags.isEmpty { first = seq }
        if seq < first {
            guard first - seq <= span else { return .tooFar }
            // Room at the front too, so that reading pages backwards does not move everything each time.
            let room = min(first - 1, max(first - seq, Int64(tags.count)))
            tags.insert(contentsOf: repeatElement(0, count: Int(max(room, first - seq))), at: 0)
            first -= max(room, first - seq)
        }
        let (offset, overflow) = seq.subtractingReportingOverflow(first)
        guard !overflow, offset <= span else { return .tooFar }
        let index = Int(offset)
        if index >= tags.count { tags.append(contentsOf: repeatElement(0, count: index + 1 - tags.count)) }
        let known = tags[index]
        if known == tag.raw { return .known }
        guard known == 0 else { return .differs(MessageTag(raw: known)) }
        tags[index] = tag.raw
        return .new
    }
}
