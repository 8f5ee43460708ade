import ParleyModel
import ParleyWire

/// What came for a client that is not to see it yet, in order and within a bound.
///
/// Events for which there is no room are left out; their ranges are kept, and so are those of whatever comes after
/// them in the same thread.
struct HoldBack: Sendable {
    enum Item: Sendable {
        case frames(ThreadID, [SharedFrame])
        /// Something that is never left out.
        case control(V1Frame)
    }

    /// The most bytes of events.
    static let byteLimit = 65_536
    /// The most changes of memberships and numberings.
    static let controlLimit = 1000
    /// What a delivery costs besides its bytes.
    private static let overhead = 128

    private(set) var items: [Item] = []
    private(set) var skipped: [ThreadID: ClosedRange<Int64>] = [:]
    private var bytes = 0
    private var controls = 0

    /// - Returns: `false` if there are too many threads to keep ranges of.
    mutating func hold(_ frames: [SharedFrame], in thread: ThreadID, bytes count: Int) -> Bool {
        if skipped[thread] == nil, bytes + count + Self.overhead <= Self.byteLimit {
            bytes += count + Self.overhead
            items.append(.frames(thread, frames))
            return true
        }
        guard let seqs = frames.seqs else { return true }
        return skipped.note(seqs, in: thread)
    }

    /// - Returns: `false` if there are too many.
    mutating func hold(_ frame: V1Frame) -> Bool {
        guard controls < Self.controlLimit else { return false }
        controls += 1
        items.append(.control(frame))
        return true
    }

    /// Takes the events out that a client does not need, since it gets everything up to `end` in another way.
    ///
    /// What belongs to another numbering came before `end` was known, so it is below it.
    mutating func drop(_ thread: ThreadID, through end: Position) {
        for index in items.indices {
            guard case .frames(thread, let frames) = items[index] else { continue }
            items[index] = .frames(
                thread,
                frames.filter { frame in
                    guard let position = frame.position else { return true }
                    return position.epoch == end.epoch && position.seq > end.seq
                })
        }
        guard let range = skipped[thread], range.lowerBound <= end.seq else { return }
        skipped[thread] = range.upperBound > end.seq ? end.seq + 1...range.upperBound : nil
    }

    /// The client is no member of the thread any more.
    mutating func forget(_ thread: ThreadID) {
        items.removeAll { item in
            if case .frames(thread, _) = item { true } else { false }
        }
        skipped[thread] = nil
    }
}

extension [SharedFrame] {
    /// The first and the last seq; `nil` if all are notices.
    var seqs: ClosedRange<Int64>? {
        let seqs = lazy.compactMap { $0.position?.seq }
        guard let least = seqs.min(), let greatest = seqs.max() else { return nil }
        return least...greatest
    }
}
