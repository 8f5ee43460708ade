import NIOCore

/// One direction of a simulated TCP connection: bytes keep their order, and arrive after the latency of the network.
///
/// Confined to the simulator's only thread.
package final class Direction {
    private enum Piece {
        case bytes(ByteBuffer)
        /// The sender sends nothing more.
        case end
    }

    private let scheduler: Scheduler
    private let network: Network
    private var pieces: [(piece: Piece, due: Int64)] = []
    private var isFrozen = false
    private var isBroken = false
    private var lastDue: Int64 = 0
    /// Called as the world.
    private let arrived: (ByteBuffer) -> Void
    private let ended: () -> Void

    init(
        on scheduler: Scheduler, network: Network, arrived: @escaping (ByteBuffer) -> Void,
        ended: @escaping () -> Void
    ) {
        self.scheduler = scheduler
        self.network = network
        self.arrived = arrived
        self.ended = ended
    }

    func send(_ bytes: ByteBuffer) { put(.bytes(bytes)) }

    /// Sends nothing more; what was sent before arrives.
    func end() { put(.end) }

    private func put(_ piece: Piece) {
        guard !isBroken else { return }
        lastDue = max(lastDue, scheduler.now + network.latency())
        pieces.append((piece, lastDue))
        if !isFrozen { deliverLater(at: lastDue) }
    }

    /// There is one call for each piece.
    private func deliverLater(at due: Int64) {
        scheduler.call(after: due - scheduler.now) { [self] in
            guard !isFrozen, !isBroken, let first = pieces.first, first.due <= scheduler.now else { return }
            pieces.removeFirst()
            switch first.piece {
            case .bytes(let bytes): arrived(bytes)
            case .end: ended()
            }
        }
    }

    /// Holds everything back until `thaw`: the data on its way, and the data sent until then.
    func freeze() { isFrozen = true }

    func thaw() {
        guard isFrozen else { return }
        isFrozen = false
        for piece in pieces { deliverLater(at: piece.due) }
    }

    /// Loses the data on its way, and everything that is sent from now on.
    func cut() {
        isBroken = true
        pieces = []
    }
}

/// The delays of the simulated network.
package final class Network {
    private var generator: SeededGenerator
    /// The usual delay of a piece of bytes, in nanoseconds.
    package var usual: ClosedRange<Int64> = 20_000...400_000
    /// One piece in so many is late; 0 for none.
    package var lateOnceIn = 0
    package var late: ClosedRange<Int64> = 1_000_000...200_000_000

    package init(seed: UInt64) {
        generator = SeededGenerator(seed: seed, purpose: 3)
    }

    func latency() -> Int64 {
        if lateOnceIn > 0, generator.once(in: lateOnceIn) { return generator.within(late) }
        return generator.within(usual)
    }
}
