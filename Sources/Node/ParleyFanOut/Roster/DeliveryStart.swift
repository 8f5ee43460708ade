import ParleyModel
import ParleyWire

/// Which deliveries a member receives for whom the log begins with their joining.
///
/// This node may be behind the log, and pass events below the start while the member is live already.
struct DeliveryStart {
    /// Nothing is shown of messages below this seq.
    private let first: Int64
    /// The epoch of `first`, unless the store has it.
    private let epoch: Epoch?
    /// Events below this seq are left out.
    private var firstDelivered: Int64

    init(_ start: HistoryStart) {
        first = start.firstSeq
        epoch = start.epoch
        firstDelivered = first
    }

    /// Returns the start in a new numbering. If the log has lost the `joined` event before it was stored, the events of the new
    /// numbering follow the joining nevertheless, wherever they are. Otherwise they are above it in any case.
    func renumbered(to new: Epoch) -> DeliveryStart {
        guard let epoch, epoch != new else { return self }
        var start = self
        start.firstDelivered = 0
        return start
    }

    /// Returns what the member receives of frames.
    func shown(_ frames: [SharedFrame]) -> [SharedFrame] {
        frames.compactMap { frame in
            guard let seq = frame.position?.seq else { return frame }
            guard seq >= firstDelivered else { return nil }
            return frame.hidingMessages(below: first)
        }
    }
}
