import ParleyModel
import ParleyWire

/// A bounded, ordered queue of events for a client that must not receive them yet.
///
/// Events that do not fit are skipped, and so are all later events of the same thread. The skipped ranges are recorded.
struct HoldBack: Sendable {
    enum Item: Sendable {
        case frames(ThreadID, [SharedFrame])
        /// A frame that is never skipped.
        case control(V1Frame)
        /// The frame that says that a thread is available again, unless the client resumes it before.
        case back(ThreadID, V1Frame)
        /// The thread has another epoch. Never skipped either.
        case renumbered(ThreadID, V1Resumption)
    }

    /// Maximum bytes of events.
    static let byteLimit = 65_536
    /// Maximum number of changes of memberships and epochs.
    static let controlLimit = 1000
    /// The cost of an entry besides its bytes.
    private static let overhead = 128

    private(set) var items: [Item] = []
    private(set) var skipped: [ThreadID: ClosedRange<Int64>] = [:]
    private var bytes: Int32 = 0
    private var controls: Int32 = 0

    /// - Returns: `false` if there are too many threads to record ranges of.
    mutating func hold(_ frames: [SharedFrame], in thread: ThreadID, bytes count: Int) -> Bool {
        if skipped[thread] == nil, count <= Self.byteLimit - Self.overhead - Int(bytes) {
            bytes += Int32(count + Self.overhead)
            items.append(.frames(thread, frames))
            return true
        }
        guard let seqs = frames.seqs else { return true }
        return skipped.note(seqs, in: thread)
    }

    /// - Returns: `false` if there are too many control frames.
    mutating func hold(_ frame: V1Frame) -> Bool { hold(.control(frame)) }

    /// - Parameter thread: is back; see `drop`.
    /// - Returns: `false` if there are too many control frames.
    mutating func hold(_ frame: V1Frame, backIn thread: ThreadID) -> Bool { hold(.back(thread, frame)) }

    /// - Parameter resumption: tells that the thread has another epoch.
    /// - Returns: `false` if there are too many control frames.
    mutating func hold(_ resumption: V1Resumption, of thread: ThreadID) -> Bool {
        hold(.renumbered(thread, resumption))
    }

    private mutating func hold(_ control: Item) -> Bool {
        guard controls < Self.controlLimit else { return false }
        controls += 1
        items.append(control)
        return true
    }

    /// Removes events up to `end`, which the client receives in another way, and what tells that the thread is back.
    ///
    /// Events of another epoch precede `end` too, since they arrived before it was known.
    mutating func drop(_ thread: ThreadID, through end: Position) {
        items.removeAll { item in
            if case .back(thread, _) = item { true } else { false }
        }
        for index in items.indices {
            guard case .frames(thread, let frames) = items[index] else { continue }
            items[index] = .frames(
                thread,
                frames.filter { frame in
                    guard let position = frame.position else { return true }
                    return position.epoch == end.epoch && position.seq > end.seq
                })
        }
        trim(thread, through: end.seq)
    }

    /// Removes from the skipped range of a thread what the client has up to a `seq`.
    mutating func trim(_ thread: ThreadID, through seq: Int64) {
        guard let range = skipped[thread], range.lowerBound <= seq else { return }
        skipped[thread] = range.upperBound > seq ? seq + 1...range.upperBound : nil
    }

    /// Removes a thread that the client is no longer a member of, or is told of later.
    mutating func forget(_ thread: ThreadID) {
        items.removeAll { item in
            switch item {
            case .frames(thread, _), .back(thread, _), .renumbered(thread, _): true
            case .frames, .control, .back, .renumbered: false
            }
        }
        skipped[thread] = nil
    }
}

extension [SharedFrame] {
    /// The first and the last seq; `nil` if all are ephemeral events.
    var seqs: ClosedRange<Int64>? {
        let seqs = lazy.compactMap { $0.position?.seq }
        guard let least = seqs.min(), let greatest = seqs.max() else { return nil }
        return least...greatest
    }
}
