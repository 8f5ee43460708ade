import ParleyModel
import Synchronization

/// The bus signals received by a node.
final class Signals: Sendable {
    private let signals = Mutex<[BusSignal]>([])

    var all: [BusSignal] { signals.withLock { $0 } }

    /// The control events of a user.
    func control(of user: UserID) -> [ControlEvent] {
        all.compactMap { if case .control(let event, user) = $0 { event } else { nil } }
    }

    func append(_ signal: BusSignal) {
        signals.withLock { $0.append(signal) }
    }
}
