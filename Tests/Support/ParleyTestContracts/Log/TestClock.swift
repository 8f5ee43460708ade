package import ParleyModel
import Synchronization

/// A wall clock that stands still until a test moves it.
package final class TestClock: Sendable {
    private let now: Mutex<Int64>

    package init(milliseconds: Int64 = 1_790_000_000_000) {
        now = Mutex(milliseconds)
    }

    package var milliseconds: Int64 {
        get { now.withLock { $0 } }
        set { now.withLock { $0 = newValue } }
    }

    package var wall: WallClock { WallClock { self.milliseconds } }

    package func advance(milliseconds: Int64) {
        now.withLock { $0 += milliseconds }
    }
}
