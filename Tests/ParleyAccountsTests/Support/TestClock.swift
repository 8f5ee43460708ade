import ParleyModel
import Synchronization

/// A clock that stands still until a test moves it.
final class TestClock: Sendable {
    private let now: Mutex<Int64>

    init(milliseconds: Int64 = 1_790_000_000_000) {
        now = Mutex(milliseconds)
    }

    var milliseconds: Int64 { now.withLock { $0 } }

    var wall: WallClock { WallClock { self.milliseconds } }

    func set(milliseconds: Int64) {
        now.withLock { $0 = milliseconds }
    }

    func advance(milliseconds: Int64) {
        now.withLock { $0 += milliseconds }
    }
}
